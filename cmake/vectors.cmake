# limber_vectors(STEM MACHINE...): the kernels STEM.c chooses between when it starts: STEM_plain.c for any
# machine and, on x86-64, STEM_MACHINE.c for the machines named (avx2, avx512); all of one source, compiled for each.
# They may fuse multiplications and additions: results differ between machines in the last bits, never between runs or
# numbers of threads. LM_CHECKED tells them of sanitizers: of their checks of every access of an array in inlined and
# unrolled code the compiler would think for minutes, and -O3 makes it worse.
set(limber_avx2 -mavx2 -mfma)
set(limber_avx512 ${limber_avx2} -mavx512f -mavx512vl -mavx512dq)

function(limber_vectors stem)
	set(options -ffp-contract=fast -fno-trapping-math -fno-math-errno -Wno-psabi)
	if(LIMBER_SANITIZE)
		list(APPEND options -DLM_CHECKED)
	else()
		list(APPEND options -O3)
	endif()
	target_sources(limber_objects PRIVATE ${stem}_plain.c)
	set_source_files_properties(${stem}_plain.c TARGET_DIRECTORY limber_objects PROPERTIES COMPILE_OPTIONS "${options}")
	if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
		return()
	endif()
	foreach(machine ${ARGN})
		target_sources(limber_objects PRIVATE ${stem}_${machine}.c)
		set_source_files_properties(${stem}_${machine}.c TARGET_DIRECTORY limber_objects PROPERTIES
			COMPILE_OPTIONS "${options};${limber_${machine}}")
	endforeach()
	set_source_files_properties(${stem}.c TARGET_DIRECTORY limber_objects PROPERTIES COMPILE_DEFINITIONS LM_X86)
endfunction()
