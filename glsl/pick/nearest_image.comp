#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/particle_image.glsl"
#include "lib/pick.glsl"
