// page_files.h: the files of the page and of three.js, as bytes in the program (embed.cmake makes them at build time).
#ifndef STUDIO_PAGE_FILES_H
#define STUDIO_PAGE_FILES_H

#include "server.h"

extern const web_file page_files[];
extern const int page_file_count;

#endif
