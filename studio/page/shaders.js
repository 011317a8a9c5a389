// shaders.js: how surfaces look: painted clay, as limber's own renderer has it (src/render/shade.c). With albedo a,
// normal n, direction to the eye v, to the sun l, half vector h:
//
//     sun = L_sun (a max(n.l, 0) + 0.05 (n.h)^24)
//     sky = a mix(L_earth, L_sky, (1 + n_y) / 2) + a 0.10 max(n.v, 0) + 0.22 (1 - n.v)^4 L_sky (1 + n_y) / 2
//
// Chunks in <...> are three's own: shadows.

export const SUN = [-0.55, 1, 0.35]; // direction towards it

export const surfaceVertex = `
#include <common>
#include <shadowmap_pars_vertex>
attribute vec4 tint;
varying vec3 seen;
varying vec3 place;
varying vec3 facing;
varying vec4 painted;
void main() {
	vec4 worldPosition = modelMatrix * vec4(position, 1.0);
	place = worldPosition.xyz;
	vec4 viewed = modelViewMatrix * vec4(position, 1.0);
	seen = viewed.xyz;
	#ifdef FLAT
	facing = vec3(0.0);
	#else
	facing = normalMatrix * normal;
	#endif
	#ifdef TINT
	painted = tint;
	#else
	painted = vec4(0.0);
	#endif
	gl_Position = projectionMatrix * viewed;
	#include <shadowmap_vertex>
}`;

const light = `
uniform vec3 color;
uniform vec3 background;
uniform vec3 upwards;
varying vec3 seen;
varying vec3 place;
varying vec3 facing;
varying vec4 painted;
const vec3 SKY = 0.36 * vec3(0.84, 0.93, 1.0);
const vec3 EARTH = 0.17 * vec3(1.0, 0.92, 0.82);
const vec3 SUNLIGHT = 0.85 * vec3(1.0, 0.92, 0.80);
vec3 shaded(vec3 a, vec3 n, vec3 v, vec3 l, float lit) {
	vec3 h = normalize(l + v);
	float up = 0.5 + 0.5 * dot(n, upwards), nv = max(dot(n, v), 0.0), away = 1.0 - nv;
	float nl = dot(n, l);
	vec3 sun = nl > 0.0 ? SUNLIGHT * (a * nl + 0.05 * pow(max(dot(n, h), 0.0), 24.0)) : vec3(0.0);
	vec3 sky = a * mix(EARTH, SKY, up) + a * 0.10 * nv + 0.22 * away * away * away * away * SKY * up;
	return sun * lit + sky;
}
vec3 toned(vec3 x) {
	return mix(x, 1.0 - 0.4 * exp((0.6 - x) / 0.4), step(0.6, x));
}
vec3 screen(vec3 x) {
	return mix(12.92 * x, 1.055 * pow(max(x, 0.0), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, x));
}
vec3 unscreen(vec3 x) {
	return mix(x / 12.92, pow((x + 0.055) / 1.055, vec3(2.4)), step(0.04045, x));
}`;

const parts = `
#include <common>
#include <packing>
#include <bsdfs>
#include <lights_pars_begin>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>
`;

export const surfaceFragment = parts + light + `
uniform float glow;
void main() {
	#ifdef FLAT
	vec3 n = normalize(cross(dFdx(seen), dFdy(seen)));
	#else
	vec3 n = normalize(facing) * (gl_FrontFacing ? 1.0 : -1.0);
	#endif
	vec3 v = normalize(-seen);
	vec3 a = mix(color, unscreen(painted.rgb), painted.a);
	vec3 c = shaded(a, n, v, directionalLights[0].direction, getShadowMask());
	c += glow * a * (0.25 + 0.5 * pow(1.0 - max(dot(n, v), 0.0), 2.0));
	gl_FragColor = vec4(screen(toned(c)), 1.0);
}`;

// A checkerboard of 1 m that fades into the background with the distance from what the picture is about.
export const groundFragment = parts + light + `
uniform vec3 focus;
uniform float reach;
float wave(float x, float w) {
	w = max(w, 1e-4);
	vec2 e = vec2(x + 0.5 * w, x - 0.5 * w), phase = e - 2.0 * floor(0.5 * e);
	vec2 i = 1.0 - abs(phase - 1.0);
	return (i.x - i.y) / w;
}
void main() {
	vec3 n = normalize(cross(dFdx(seen), dFdy(seen)));
	vec3 flatly = abs((vec4(n, 0.0) * viewMatrix).xyz);
	vec2 at = flatly.y > max(flatly.x, flatly.z) ? place.xz : flatly.x > flatly.z ? place.yz : place.xy;
	vec2 wide = abs(dFdx(at)) + abs(dFdy(at));
	vec3 a = color * (1.0 + 0.10 * wave(at.x, wide.x) * wave(at.y, wide.y));
	vec3 v = normalize(-seen);
	vec3 c = shaded(a, n, v, directionalLights[0].direction, getShadowMask());
	float alpha = 1.0 - smoothstep(0.35 * reach, reach, distance(place, focus));
	gl_FragColor = vec4(screen(mix(background, toned(c), alpha)), 1.0);
}`;

// The outline of what is selected, from a picture in which only it is white.
export const outlineVertex = `
varying vec2 at;
void main() {
	at = uv;
	gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

export const outlineFragment = `
uniform sampler2D mask;
uniform vec2 pixel;
uniform vec3 color;
varying vec2 at;
void main() {
	float here = texture2D(mask, at).r, most = 0.0;
	for (int i = 0; i < 12; ++i) {
		float angle = 6.2831853 * float(i) / 12.0;
		vec2 way = vec2(cos(angle), sin(angle)) * pixel;
		most += texture2D(mask, at + 2.0 * way).r + 0.5 * texture2D(mask, at + 3.0 * way).r;
	}
	gl_FragColor = vec4(color, 0.9 * (1.0 - here) * clamp(most / 4.0, 0.0, 1.0));
}`;
