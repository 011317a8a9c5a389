#include "limber/limber.h"

#include <stdio.h>

int main(void)
{
	printf("limber %s\n", lm_version());
	return 0;
}
