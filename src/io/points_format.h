// points_format.h: the headers of point caches.
//   PC2, little endian: "POINTCACHE2" 0; i32 version 1, i32 points; f32 first frame, f32 frames per sample; i32 samples
//   MDD, big endian:    i32 samples, i32 points; f32 time of each sample in seconds
// Both go on with the samples, f32 x y z of each point. PC2 counts in frames and does not say how long one is: we take
// 24 per second, and write one sample per frame.
#ifndef LM_IO_POINTS_FORMAT_H
#define LM_IO_POINTS_FORMAT_H

#define LM_PC2_MAGIC "POINTCACHE2" // with its zero byte
#define LM_PC2_HEADER 32
#define LM_PC2_FPS 24
#define LM_MDD_HEADER 8

#endif
