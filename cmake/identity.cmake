# identity.cmake: which sources and which compiler made a library, as a number: two libraries that have the same one give
# the same results to the bit. Checkpoints and takes carry it. Included, it adds the file that holds the number to the
# library; as a script (cmake -P), it writes that file.
if(CMAKE_SCRIPT_MODE_FILE)
	file(GLOB_RECURSE sources LIST_DIRECTORIES false ${SOURCE}/src/*.c ${SOURCE}/src/*.h ${SOURCE}/include/limber/*.h)
	set(sums "${COMPILED}")
	foreach(file ${sources})
		file(SHA256 ${file} sum)
		string(APPEND sums ${sum})
	endforeach()
	string(SHA256 sum "${sums}")
	string(SUBSTRING ${sum} 0 16 number)
	file(WRITE ${OUTPUT} "// Made by cmake/identity.cmake.\n#include \"base/identity.h\"\n\n"
		"uint64_t lm_build_identity(void)\n{\n\treturn UINT64_C(0x${number});\n}\n")
	return()
endif()

file(GLOB_RECURSE identity_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.c ${CMAKE_SOURCE_DIR}/src/*.h
	${CMAKE_SOURCE_DIR}/include/limber/*.h)
string(TOUPPER "${CMAKE_BUILD_TYPE}" identity_type)
set(identity_file ${CMAKE_BINARY_DIR}/identity.c)
set(identity_compiled "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_C_FLAGS}")
string(APPEND identity_compiled " ${CMAKE_C_FLAGS_${identity_type}} ${LIMBER_SANITIZE}")
add_custom_command(OUTPUT ${identity_file}
	COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${identity_file} "-DCOMPILED=${identity_compiled}"
		-P ${CMAKE_CURRENT_LIST_FILE}
	DEPENDS ${identity_sources} ${CMAKE_CURRENT_LIST_FILE} COMMENT "Identity of the sources" VERBATIM)
target_sources(limber_objects PRIVATE ${identity_file})
