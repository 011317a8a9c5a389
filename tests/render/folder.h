// folder.h: what lies in a folder of a test.
#ifndef LIMBER_TEST_FOLDER_H
#define LIMBER_TEST_FOLDER_H

#include <dirent.h>

// How many files, temporary ones included.
static inline int files_in(const char* path)
{
	int count = 0;
	DIR* folder = opendir(path);
	for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;)
		count += entry->d_name[0] != '.';
	if (folder != NULL)
		closedir(folder);
	return count;
}

#endif
