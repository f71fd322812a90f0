/* The trees of each language, as texts to be filled in (gen/recipes/project_tree.h says how). Each needs its
 * language's own tool and nothing from the network. */
#include "gen/recipes/project_tree.h"

#define README(commands)                                                                                     \
    {                                                                                                        \
        PROJECT_README, "README.md",                                                                         \
            "# app\n\n"                                                                                      \
            "A chain of $k steps, one module each. The program starts with $s and prints what is left at "   \
            "the end.\n\n" commands                                                                          \
    }

static const struct project_file python_files[] = {
    {PROJECT_MODULE, "app/$n.py",
     "\"\"\"One step of the chain.\"\"\"\n\n\n"
     "def value(x):\n"
     "    return (x * $a + $b) % $m\n"},
    {PROJECT_MAIN, "main.py",
     "@from app import $n\n\n\n"
     "def run(x):\n"
     "@    x = $n.value(x)\n"
     "    return x\n\n\n"
     "if __name__ == \"__main__\":\n"
     "    print(run($s))\n"},
    {PROJECT_TEST, "tests/test_modules.py",
     "import unittest\n\n"
     "@from app import $n\n\n\n"
     "class ModulesTest(unittest.TestCase):\n"
     "@    def test_$n(self):\n"
     "@        self.assertEqual($n.value($x), $e)\n"
     "@\n\n"
     "if __name__ == \"__main__\":\n"
     "    unittest.main()\n"},
    {PROJECT_BUILD, "pyproject.toml",
     "[build-system]\n"
     "requires = [\"setuptools\"]\n"
     "build-backend = \"setuptools.build_meta\"\n\n"
     "[project]\n"
     "name = \"app\"\n"
     "version = \"1.0.0\"\n"
     "requires-python = \">=3.8\"\n\n"
     "[tool.setuptools]\n"
     "packages = [\"app\"]\n"},
    {PROJECT_OTHER, "app/__init__.py", ""},
    {PROJECT_OTHER, "tests/__init__.py", ""},
    README("    python3 main.py\n"
           "    python3 -m unittest\n"),
};

static const struct project_file c_files[] = {
    {PROJECT_MODULE, "src/$n.c",
     "#include \"$n.h\"\n\n"
     "long $n_value(long x)\n"
     "{\n"
     "    return (x * $a + $b) % $m;\n"
     "}\n"},
    {PROJECT_HEADER, "src/$n.h",
     "#ifndef $U_H\n"
     "#define $U_H\n\n"
     "long $n_value(long x);\n\n"
     "#endif\n"},
    {PROJECT_MAIN, "src/main.c",
     "#include <stdio.h>\n\n"
     "@#include \"$n.h\"\n\n"
     "int main(void)\n"
     "{\n"
     "    long x = $s;\n"
     "@    x = $n_value(x);\n"
     "    printf(\"%ld\\n\", x);\n"
     "    return 0;\n"
     "}\n"},
    {PROJECT_TEST, "tests/test_modules.c",
     "#include <stdio.h>\n\n"
     "@#include \"../src/$n.h\"\n\n"
     "static int failed;\n\n"
     "static void check(const char *name, long got, long expected)\n"
     "{\n"
     "    if (got == expected)\n"
     "        return;\n"
     "    printf(\"%s: got %ld, expected %ld\\n\", name, got, expected);\n"
     "    failed++;\n"
     "}\n\n"
     "int main(void)\n"
     "{\n"
     "@    check(\"$n\", $n_value($x), $e);\n"
     "    printf(\"$k tests, %d failed\\n\", failed);\n"
     "    return failed != 0;\n"
     "}\n"},
    {PROJECT_BUILD, "Makefile",
     "CC = cc\n"
     "CFLAGS = -O1 -Wall -Wextra\n"
     "MODULES = \\\n"
     "@\tsrc/$n.c \\\n\n\n"
     "app: src/main.c $(MODULES)\n"
     "\t$(CC) $(CFLAGS) -o app src/main.c $(MODULES)\n\n"
     "test: tests/test_modules.c $(MODULES)\n"
     "\t$(CC) $(CFLAGS) -o test_modules tests/test_modules.c $(MODULES)\n"
     "\t./test_modules\n\n"
     "clean:\n"
     "\trm -f app test_modules\n\n"
     ".PHONY: test clean\n"},
    README("    make && ./app\n"
           "    make test\n"),
};

static const struct project_file java_files[] = {
    {PROJECT_MODULE, "src/app/$C.java",
     "package app;\n\n"
     "/** One step of the chain. */\n"
     "public final class $C {\n"
     "    private $C() {\n"
     "    }\n\n"
     "    public static long value(long x) {\n"
     "        return (x * $a + $b) % $m;\n"
     "    }\n"
     "}\n"},
    {PROJECT_MAIN, "src/app/Main.java",
     "package app;\n\n"
     "public final class Main {\n"
     "    private Main() {\n"
     "    }\n\n"
     "    public static void main(String[] args) {\n"
     "        long x = $s;\n"
     "@        x = $C.value(x);\n"
     "        System.out.println(x);\n"
     "    }\n"
     "}\n"},
    {PROJECT_TEST, "src/app/ModulesTest.java",
     "package app;\n\n"
     "public final class ModulesTest {\n"
     "    private static int failed;\n\n"
     "    private ModulesTest() {\n"
     "    }\n\n"
     "    private static void check(String name, long got, long expected) {\n"
     "        if (got == expected) {\n"
     "            return;\n"
     "        }\n"
     "        System.out.println(name + \": got \" + got + \", expected \" + expected);\n"
     "        failed++;\n"
     "    }\n\n"
     "    public static void main(String[] args) {\n"
     "@        check(\"$n\", $C.value($x), $e);\n"
     "        System.out.println(\"$k tests, \" + failed + \" failed\");\n"
     "        if (failed > 0) {\n"
     "            System.exit(1);\n"
     "        }\n"
     "    }\n"
     "}\n"},
    {PROJECT_BUILD, "build.sh",
     "#!/bin/sh\n"
     "set -e\n"
     "javac -d out src/app/*.java\n"},
    README("    sh build.sh\n"
           "    java -cp out app.Main\n"
           "    java -cp out app.ModulesTest\n"),
};

static const struct project_file rust_files[] = {
    {PROJECT_MODULE, "src/$n.rs",
     "//! One step of the chain.\n\n"
     "pub fn value(x: i64) -> i64 {\n"
     "    (x * $a + $b) % $m\n"
     "}\n"},
    {PROJECT_MAIN, "src/main.rs",
     "@mod $n;\n"
     "#[cfg(test)]\n"
     "mod tests;\n\n"
     "fn main() {\n"
     "    let mut x: i64 = $s;\n"
     "@    x = $n::value(x);\n"
     "    println!(\"{}\", x);\n"
     "}\n"},
    {PROJECT_TEST, "src/tests.rs",
     "@use crate::$n;\n\n"
     "@#[test]\n"
     "@fn test_$n() {\n"
     "@    assert_eq!($n::value($x), $e);\n"
     "@}\n"
     "@\n"},
    {PROJECT_BUILD, "Cargo.toml",
     "[package]\n"
     "name = \"app\"\n"
     "version = \"1.0.0\"\n"
     "edition = \"2021\"\n\n"
     "[dependencies]\n"},
    README("    cargo run --offline\n"
           "    cargo test --offline\n"),
};

static const struct project_file node_files[] = {
    {PROJECT_MODULE, "src/$n.js",
     "'use strict';\n\n"
     "// One step of the chain.\n"
     "function value(x) {\n"
     "  return (x * $a + $b) % $m;\n"
     "}\n\n"
     "module.exports = { value };\n"},
    {PROJECT_MAIN, "main.js",
     "'use strict';\n\n"
     "@const $n = require('./src/$n');\n\n"
     "let x = $s;\n"
     "@x = $n.value(x);\n"
     "console.log(x);\n"},
    {PROJECT_TEST, "test/modules.test.js",
     "'use strict';\n\n"
     "const test = require('node:test');\n"
     "const assert = require('node:assert');\n\n"
     "@const $n = require('../src/$n');\n\n"
     "@test('$n', () => {\n"
     "@  assert.strictEqual($n.value($x), $e);\n"
     "@});\n"},
    {PROJECT_BUILD, "package.json",
     "{\n"
     "  \"name\": \"app\",\n"
     "  \"version\": \"1.0.0\",\n"
     "  \"private\": true,\n"
     "  \"main\": \"main.js\",\n"
     "  \"scripts\": {\n"
     "    \"start\": \"node main.js\",\n"
     "    \"test\": \"node --test\"\n"
     "  }\n"
     "}\n"},
    README("    node main.js\n"
           "    node --test\n"),
};

#define FILES(list) list, sizeof list / sizeof *list

const struct project_language project_languages[] = {
    {"python", FILES(python_files), NULL, "python3 main.py", "python3 -m unittest"},
    {"c", FILES(c_files), "make", "./app", "make test"},
    {"java", FILES(java_files), "sh build.sh", "java -cp out app.Main", "java -cp out app.ModulesTest"},
    {"rust", FILES(rust_files), "cargo build --offline", "cargo run --offline --quiet",
     "cargo test --offline --quiet"},
    {"node", FILES(node_files), NULL, "node main.js", "node --test"},
};

const char *const project_language_names[] = {"python", "c", "java", "rust", "node", NULL};
