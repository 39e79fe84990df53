// Carries particles along with the jump of what holds them. A file that includes this, after lib/jump.glsl, says how a particle
// is carried: carry(index, jump).

void main() {
    uint index = element_index();
    if (index >= push.particle_count) return;
    uint number = jump_of[index];
    if (number != STAYS) carry(index, jumps[number]);
}
