/* Made instruction by instruction, so that neither a compiler for it nor a library is needed. Registers 6 to 9 keep their values over
 * calls: 6 the tracepoint's arguments, later the class of the path; 7 the errno; 8 where the numbers of the process lie, later the
 * session; 9 how far below the outermost namespace, later the row of the table.
 *
 * The kernel lets only programs under the GPL read its memory: these few lines may be used under the MIT licence or the GPL, too.
 *
 * Only little-endian machines of 64 bits are known here: texts are compared as words. */
#include "exec/observe/syscall_program.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>

#include "base/error.h"

/* The kernel's struct pt_regs, as much of it as is needed. */
#if defined(__x86_64__)
enum { REGS_SIZE = 168, REGS_NUMBER = 120, REGS_MODE = 136, MODE_64 = 0x33 }; /* the mode is the code segment */
static const int16_t regs_argument[] = {112, 104, 96};
#elif defined(__aarch64__)
enum { REGS_SIZE = 288, REGS_NUMBER = 280, REGS_MODE = 264, MODE_BIT_32 = 0x10 };
static const int16_t regs_argument[] = {272, 8, 16}; /* the first register holds the result by then */
#endif

/* On the stack, from its end. */
enum {
    AT_INODE = -8,
    AT_WORD = -16,
    AT_NUMBER_OF = -32, /* a process's number in a namespace, and the namespace */
    NUMBER_SIZE = 16,
    AT_NUMBER = -40,
    AT_KEY = -48,
    AT_VALUE = -56,
    AT_PATH = -56 - SYSCALL_PATH,
    NESTED = 4 /* namespaces from a process's own on outwards that are looked at */
};

bool syscall_program_here(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

#if defined(__x86_64__) || defined(__aarch64__)

enum { AT_REGS = AT_PATH - REGS_SIZE, USES_MAX = 48 };

struct label {
    size_t uses[USES_MAX];
    size_t count;
};

struct text {
    struct bpf_insn *code;
    size_t count;
    struct label out;
};

static void put(struct text *t, int code, int dst, int src, int off, int32_t imm)
{
    if (t->count == SYSCALL_CODE)
        BUG("the program is longer than was thought");
    t->code[t->count++] = (struct bpf_insn){
        .code = (uint8_t)code, .dst_reg = dst & 15, .src_reg = src & 15, .off = (int16_t)off, .imm = imm};
}

static void set(struct text *t, int dst, int32_t value)
{
    put(t, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value);
}

static void copy(struct text *t, int dst, int src)
{
    put(t, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void add(struct text *t, int dst, int32_t value)
{
    put(t, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value);
}

static void set_wide(struct text *t, int dst, int kind, uint64_t value)
{
    put(t, BPF_LD | BPF_DW | BPF_IMM, dst, kind, 0, (int32_t)(uint32_t)value);
    put(t, 0, 0, 0, 0, (int32_t)(uint32_t)(value >> 32));
}

static void load(struct text *t, int size, int dst, int src, int off)
{
    put(t, BPF_LDX | BPF_MEM | size, dst, src, off, 0);
}

static void call(struct text *t, int32_t helper)
{
    put(t, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static void jump(struct text *t, int how, int dst, int src, int32_t imm, struct label *to)
{
    if (to->count == USES_MAX)
        BUG("more jumps than a label has room for");
    to->uses[to->count++] = t->count;
    put(t, BPF_JMP | how, dst, src, 0, imm);
}

static void land(struct text *t, struct label *l)
{
    for (size_t i = 0; i < l->count; i++)
        t->code[l->uses[i]].off = (int16_t)(t->count - l->uses[i] - 1);
}

/* Kernel memory at register `from` + offset to the stack. */
static void fetch(struct text *t, int at, int size, int from, int32_t offset)
{
    copy(t, BPF_REG_3, from);
    if (offset)
        add(t, BPF_REG_3, offset);
    copy(t, BPF_REG_1, BPF_REG_10);
    add(t, BPF_REG_1, at);
    set(t, BPF_REG_2, size);
    call(t, BPF_FUNC_probe_read_kernel);
    jump(t, BPF_JNE | BPF_K, BPF_REG_0, 0, 0, &t->out);
}

/* Register 0: what the map has for the key on the stack. */
static void look_up(struct text *t, int map, int key)
{
    set_wide(t, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)map);
    copy(t, BPF_REG_2, BPF_REG_10);
    add(t, BPF_REG_2, key);
    call(t, BPF_FUNC_map_lookup_elem);
}

/* Calls that are to be made again, by whatever means, have not ended. */
static void take_result(struct text *t)
{
    enum { RESTARTS = 512 };
    struct label good = {0};
    copy(t, BPF_REG_6, BPF_REG_1);
    load(t, BPF_DW, BPF_REG_1, BPF_REG_6, 8);
    set(t, BPF_REG_7, 0);
    jump(t, BPF_JSGE | BPF_K, BPF_REG_1, 0, 0, &good);
    jump(t, BPF_JSLE | BPF_K, BPF_REG_1, 0, -RESTARTS, &t->out);
    copy(t, BPF_REG_7, BPF_REG_1);
    put(t, BPF_ALU64 | BPF_NEG, BPF_REG_7, 0, 0, 0);
    jump(t, BPF_JEQ | BPF_K, BPF_REG_7, 0, EAGAIN, &t->out);
    jump(t, BPF_JEQ | BPF_K, BPF_REG_7, 0, EINTR, &t->out);
    land(t, &good);
}

static void find_session(struct text *t, const struct syscall_offsets *at, const struct syscall_maps *maps)
{
    enum { LEVELS = 32 };
    struct label found = {0};
    call(t, BPF_FUNC_get_current_task);
    fetch(t, AT_WORD, 8, BPF_REG_0, at->task_pid);
    load(t, BPF_DW, BPF_REG_8, BPF_REG_10, AT_WORD);
    fetch(t, AT_WORD, 4, BPF_REG_8, at->pid_level);
    load(t, BPF_W, BPF_REG_9, BPF_REG_10, AT_WORD);
    jump(t, BPF_JGT | BPF_K, BPF_REG_9, 0, LEVELS, &t->out);
    copy(t, BPF_REG_1, BPF_REG_9);
    put(t, BPF_ALU64 | BPF_MUL | BPF_K, BPF_REG_1, 0, 0, NUMBER_SIZE);
    add(t, BPF_REG_8, at->pid_numbers);
    put(t, BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_8, BPF_REG_1, 0, 0);
    for (int i = 0; i < NESTED; i++) {
        jump(t, BPF_JEQ | BPF_K, BPF_REG_9, 0, 0, &t->out); /* the machine's own namespace */
        fetch(t, AT_NUMBER_OF, NUMBER_SIZE, BPF_REG_8, 0);
        load(t, BPF_DW, BPF_REG_0, BPF_REG_10, AT_NUMBER_OF + at->number_space);
        fetch(t, AT_INODE, 4, BPF_REG_0, at->space_inode);
        look_up(t, maps->sessions, AT_INODE);
        jump(t, BPF_JNE | BPF_K, BPF_REG_0, 0, 0, &found);
        add(t, BPF_REG_8, -NUMBER_SIZE);
        add(t, BPF_REG_9, -1);
    }
    jump(t, BPF_JA, 0, 0, 0, &t->out);
    land(t, &found);
    copy(t, BPF_REG_8, BPF_REG_0);
    load(t, BPF_W, BPF_REG_1, BPF_REG_10, AT_NUMBER_OF);
    jump(t, BPF_JEQ | BPF_K, BPF_REG_1, 0, 1, &t->out); /* the agent */
    load(t, BPF_DW, BPF_REG_1, BPF_REG_8, offsetof(struct syscall_session, task));
    jump(t, BPF_JEQ | BPF_K, BPF_REG_1, 0, 0, &t->out);
}

/* Register 9: the row. Programs of 32 bits have other numbers. */
static void find_row(struct text *t, const struct syscall_maps *maps)
{
    load(t, BPF_DW, BPF_REG_0, BPF_REG_6, 0);
    fetch(t, AT_REGS, REGS_SIZE, BPF_REG_0, 0);
    load(t, BPF_DW, BPF_REG_1, BPF_REG_10, AT_REGS + REGS_MODE);
#if defined(__x86_64__)
    jump(t, BPF_JNE | BPF_K, BPF_REG_1, 0, MODE_64, &t->out);
#else
    jump(t, BPF_JSET | BPF_K, BPF_REG_1, 0, MODE_BIT_32, &t->out);
#endif
    load(t, BPF_W, BPF_REG_1, BPF_REG_10, AT_REGS + REGS_NUMBER);
    put(t, BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_1, AT_NUMBER, 0);
    look_up(t, maps->table, AT_NUMBER);
    jump(t, BPF_JEQ | BPF_K, BPF_REG_0, 0, 0, &t->out);
    load(t, BPF_W, BPF_REG_9, BPF_REG_0, 0);
    jump(t, BPF_JEQ | BPF_K, BPF_REG_9, 0, SYSCALL_IGNORED, &t->out);
}

/* The path onto the stack; `none` when there is none. */
static void take_path(struct text *t, struct label *none)
{
    enum { ARGUMENTS = sizeof regs_argument / sizeof *regs_argument };
    struct label read = {0};
    for (int i = 0; i < SYSCALL_WORDS; i++)
        put(t, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, AT_PATH + 8 * i, 0);
    for (int i = 0; i < (int)ARGUMENTS; i++) {
        load(t, BPF_DW, BPF_REG_3, BPF_REG_10, AT_REGS + regs_argument[i]);
        jump(t, BPF_JEQ | BPF_K, BPF_REG_9, 0, SYSCALL_PATH_FIRST + i, &read);
    }
    jump(t, BPF_JA, 0, 0, 0, none);
    land(t, &read);
    copy(t, BPF_REG_1, BPF_REG_10);
    add(t, BPF_REG_1, AT_PATH);
    set(t, BPF_REG_2, SYSCALL_PATH);
    call(t, BPF_FUNC_probe_read_user_str);
    jump(t, BPF_JSLE | BPF_K, BPF_REG_0, 0, 1, none);
}

static void compare_with_session(struct text *t, struct label *done)
{
    for (int i = 0; i < SYSCALL_PREFIXES; i++) {
        struct label other = {0};
        int at = (int)(offsetof(struct syscall_session, prefixes) + (size_t)i * sizeof(struct syscall_prefix));
        for (int w = 0; w < SYSCALL_WORDS; w++) {
            load(t, BPF_DW, BPF_REG_1, BPF_REG_8, at + (int)offsetof(struct syscall_prefix, mask) + 8 * w);
            load(t, BPF_DW, BPF_REG_2, BPF_REG_10, AT_PATH + 8 * w);
            put(t, BPF_ALU64 | BPF_AND | BPF_X, BPF_REG_2, BPF_REG_1, 0, 0);
            load(t, BPF_DW, BPF_REG_1, BPF_REG_8, at + (int)offsetof(struct syscall_prefix, text) + 8 * w);
            jump(t, BPF_JNE | BPF_X, BPF_REG_1, BPF_REG_2, 0, &other);
        }
        set(t, BPF_REG_6, i < SYSCALL_PREFIXES / 2 ? PATH_ROOT : PATH_HOME);
        jump(t, BPF_JA, 0, 0, 0, done);
        land(t, &other);
    }
}

static void compare_with_starts(struct text *t, struct label *done)
{
    load(t, BPF_DW, BPF_REG_2, BPF_REG_10, AT_PATH);
    for (size_t i = 0; i < path_start_count; i++) {
        uint64_t word = 0, mask = 0;
        size_t length = strlen(path_starts[i].text);
        memcpy(&word, path_starts[i].text, length);
        memset(&mask, 0xff, length + path_starts[i].whole);
        set(t, BPF_REG_6, path_starts[i].class);
        set_wide(t, BPF_REG_1, 0, mask);
        copy(t, BPF_REG_3, BPF_REG_2);
        put(t, BPF_ALU64 | BPF_AND | BPF_X, BPF_REG_3, BPF_REG_1, 0, 0);
        set_wide(t, BPF_REG_1, 0, word);
        jump(t, BPF_JEQ | BPF_X, BPF_REG_3, BPF_REG_1, 0, done);
    }
    set(t, BPF_REG_6, PATH_ELSEWHERE);
}

/* Register 6: the class. */
static void classify(struct text *t, struct label *done)
{
    set(t, BPF_REG_6, PATH_NONE);
    jump(t, BPF_JEQ | BPF_K, BPF_REG_9, 0, SYSCALL_PLAIN, done);
    take_path(t, done);
    set(t, BPF_REG_6, PATH_RELATIVE);
    load(t, BPF_B, BPF_REG_1, BPF_REG_10, AT_PATH);
    jump(t, BPF_JNE | BPF_K, BPF_REG_1, 0, '/', done);
    compare_with_session(t, done);
    compare_with_starts(t, done);
}

static void add_to_key(struct text *t, int reg, int shift)
{
    put(t, BPF_ALU64 | BPF_LSH | BPF_K, reg, 0, 0, shift);
    put(t, BPF_ALU64 | BPF_OR | BPF_X, BPF_REG_6, reg, 0, 0);
}

/* Most of them are there already, and looking is cheaper than writing. */
static void note(struct text *t, const struct syscall_maps *maps)
{
    load(t, BPF_W, BPF_REG_1, BPF_REG_10, AT_NUMBER);
    add_to_key(t, BPF_REG_1, SYSCALL_NUMBER_SHIFT);
    load(t, BPF_DW, BPF_REG_1, BPF_REG_8, offsetof(struct syscall_session, task));
    add_to_key(t, BPF_REG_1, SYSCALL_TASK_SHIFT);
    add_to_key(t, BPF_REG_7, SYSCALL_ERROR_SHIFT);
    put(t, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, BPF_REG_6, AT_KEY, 0);
    look_up(t, maps->seen, AT_KEY);
    jump(t, BPF_JNE | BPF_K, BPF_REG_0, 0, 0, &t->out);
    put(t, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, AT_VALUE, 1);
    set_wide(t, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)maps->seen);
    copy(t, BPF_REG_2, BPF_REG_10);
    add(t, BPF_REG_2, AT_KEY);
    copy(t, BPF_REG_3, BPF_REG_10);
    add(t, BPF_REG_3, AT_VALUE);
    set(t, BPF_REG_4, BPF_ANY);
    call(t, BPF_FUNC_map_update_elem);
}

size_t syscall_program(const struct syscall_offsets *at, const struct syscall_maps *maps, struct bpf_insn *code)
{
    struct text t = {.code = code};
    struct label done = {0};
    take_result(&t);
    find_session(&t, at, maps);
    find_row(&t, maps);
    classify(&t, &done);
    land(&t, &done);
    note(&t, maps);
    land(&t, &t.out);
    set(&t, BPF_REG_0, 0);
    put(&t, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
    return t.count;
}

#else

size_t syscall_program(const struct syscall_offsets *at, const struct syscall_maps *maps, struct bpf_insn *code)
{
    (void)at, (void)maps, (void)code;
    return 0;
}

#endif
