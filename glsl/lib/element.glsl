// Which element of a list an invocation takes. Where a device has too few workgroups in a row for all of them, a dispatch has
// several rows. To be included after the size of a workgroup is declared: without it that is 1.
uint element_index() {
    return gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x + gl_GlobalInvocationID.x;
}
