#!/usr/bin/env python3
"""bare.py: how often a Chromium that draws with the processor shows a new picture of a page with nothing but one triangle,
and what a canvas or panels over it cost: what no studio can be quicker than.

    /usr/bin/python3 tests/studio/bare.py
"""
import os
import sys
import tempfile
import time

from browser import available, start_chromium

PAGE = """<!doctype html><meta charset="utf-8"><style>body { margin: 0 } canvas { position: absolute; left: 0; top: 0; width: 1280px; height: 720px }
.panel { position: absolute; background: #fff; border-radius: 14px; box-shadow: 0 8px 28px rgb(0 0 0 / .2); width: 268px; height: 560px; top: 70px }</style>
<canvas id="c" width="768" height="432"></canvas><script>
const over = location.hash === "#canvas", gl = c.getContext("webgl2", { antialias: false });
if (location.hash === "#panels") document.body.insertAdjacentHTML("beforeend",
	"<div class=panel style='left:12px'></div><div class=panel style='left:1000px'></div>");
let pen = null;
if (over) {
	const top = document.createElement("canvas");
	top.width = 1280, top.height = 720;
	document.body.append(top);
	pen = top.getContext("2d", { willReadFrequently: true });
}
const part = (kind, text) => {
	const shader = gl.createShader(kind);
	gl.shaderSource(shader, text), gl.compileShader(shader), gl.attachShader(program, shader);
};
const program = gl.createProgram();
part(gl.VERTEX_SHADER, "attribute vec2 p; void main() { gl_Position = vec4(p, 0.0, 1.0); }");
part(gl.FRAGMENT_SHADER, "precision mediump float; uniform float u; void main() { gl_FragColor = vec4(u, 0.3, 0.1, 1.0); }");
gl.linkProgram(program), gl.useProgram(program);
gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-0.1, -0.1, 0.1, -0.1, 0, 0.1]), gl.STATIC_DRAW);
gl.enableVertexAttribArray(0), gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
window.gaps = [];
let last = 0;
function draw() {
	requestAnimationFrame(draw);
	const now = performance.now();
	if (last) gaps.push(now - last);
	last = now;
	gl.clear(gl.COLOR_BUFFER_BIT), gl.uniform1f(gl.getUniformLocation(program, "u"), Math.random());
	gl.drawArrays(gl.TRIANGLES, 0, 3);
	if (pen) pen.clearRect(0, 0, 1280, 720), pen.fillRect(600 + 10 * Math.random(), 300, 8, 8);
}
draw();
</script>"""


def main():
    if not available():
        print("chromium, chromium-driver or python3-selenium is missing")
        return 77
    driver = start_chromium(1280, 720)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bare.html")
        with open(path, "w") as file:
            file.write(PAGE)
        for what, words in [("", "one triangle"), ("#canvas", "and a canvas as large as the window over it"),
                            ("#panels", "or two panels with shadows")] * 2:
            driver.get("about:blank")
            driver.get(f"file://{path}{what}")
            time.sleep(3)
            gaps = sorted(driver.execute_script("return gaps"))
            print(f"{words:46} a picture every {gaps[len(gaps) // 2]:5.1f} ms (median of {len(gaps)}); "
                  f"load {os.getloadavg()[0]:.1f}", flush=True)
    driver.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
