# limber_vectors(STEM MACHINE...): the kernels STEM.c chooses between by the host's SIMD level: STEM_plain.c for any
# machine and, on x86-64, STEM_MACHINE.c for the machines named (avx2, avx512); all of one source, compiled for each.
# They may fuse multiplications and additions: results differ between machines in the last bits, never between runs or
# numbers of threads. LM_CHECKED tells them of sanitizers: of their checks of every access of an array in inlined and
# unrolled code the compiler would think for minutes, and -O3 makes it worse.
set(limber_avx2 -mavx2 -mfma)
set(limber_avx512 ${limber_avx2} -mavx512f -mavx512vl -mavx512dq)
set(limber_kernel_options -ffp-contract=fast -fno-trapping-math -fno-math-errno -Wno-psabi)
set(limber_wide_options ${limber_kernel_options} -O3)
if(LIMBER_SANITIZE)
	list(APPEND limber_kernel_options -DLM_CHECKED)
	list(APPEND limber_wide_options -fno-sanitize=all)
else()
	list(APPEND limber_kernel_options -O3)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
	target_compile_definitions(limber_flags INTERFACE LM_X86)
	set(LIMBER_X86 ON)
endif()

function(limber_vectors stem)
	target_sources(limber_objects PRIVATE ${stem}_plain.c)
	set_source_files_properties(${stem}_plain.c TARGET_DIRECTORY limber_objects PROPERTIES
		COMPILE_OPTIONS "${limber_kernel_options}")
	if(NOT LIMBER_X86)
		return()
	endif()
	foreach(machine ${ARGN})
		target_sources(limber_objects PRIVATE ${stem}_${machine}.c)
		set_source_files_properties(${stem}_${machine}.c TARGET_DIRECTORY limber_objects PROPERTIES
			COMPILE_OPTIONS "${limber_kernel_options};${limber_${machine}}")
	endforeach()
endfunction()

# limber_wide_kernels(TEST SOURCE TABLE): gives a test the kernels of an *_avx512.c a second and third time, compiled
# for any machine and for AVX2, with their table named TABLE_wide and TABLE_wide_avx2: most machines have no AVX-512, and
# no kernel is to be trusted that they cannot run. What a kernel reads without having written it is made visible: such
# variables start as a pattern that is no sensible number.
include(CheckCCompilerFlag)
check_c_compiler_flag(-ftrivial-auto-var-init=pattern LIMBER_HAS_PATTERN)
function(limber_wide_kernels test source table)
	set(machines plain)
	if(LIMBER_X86)
		list(APPEND machines avx2)
	endif()
	# After limber_flags. Sanitizers see these kernels in the library; twice more would take the compiler a minute.
	set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${limber_wide_options}")
	foreach(machine ${machines})
		set(wide ${test}_wide_${machine})
		string(REPLACE _plain "" name ${table}_wide_${machine})
		add_library(${wide} OBJECT ${source})
		target_include_directories(${wide} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
		target_link_libraries(${wide} PRIVATE limber_flags)
		target_compile_definitions(${wide} PRIVATE ${table}_avx512=${name})
		target_compile_options(${wide} PRIVATE ${limber_${machine}}
			$<$<BOOL:${LIMBER_HAS_PATTERN}>:-ftrivial-auto-var-init=pattern>)
		target_sources(${test} PRIVATE $<TARGET_OBJECTS:${wide}>)
	endforeach()
endfunction()
