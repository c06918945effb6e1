"""C16: the other languages of the grammar package, by their file endings, with general rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.documents import KINDS, advised_chunker
from ragchunk_core.languages import LANGUAGES, MAIN_LANGUAGES, language_named, language_of, parser_of
from tests.test_code_chunker import TOKENS, lost

OTHERS = [name for name in LANGUAGES if name not in MAIN_LANGUAGES]

# Per ending: what stands at the top of the file, and functions or the like with what describes them.
FLAT: dict[str, tuple[str, list[str]]] = {
    ".rb": ("require 'set'", [
        "# Adds one.\n# Returns a number.\ndef add(x)\n  x + 1\nend",
        "# Says it.\ndef say(word)\n  puts word\n  word\nend",
    ]),
    ".cs": ("using System;", [
        "/// <summary>A point.</summary>\n[Serializable]\npublic class Point\n{\n    public int X;\n}",
        "/// <summary>A shape.</summary>\npublic interface IShape\n{\n    double Area();\n}",
    ]),
    ".php": ("<?php\nuse App\\Model;", [
        "/**\n * Adds one.\n */\nfunction add(int $x): int\n{\n    return $x + 1;\n}",
        "// Says it.\nfunction say($word)\n{\n    echo $word;\n}",
    ]),
    ".sh": ("#!/bin/bash\nset -e", [
        "# Adds one.\nadd() {\n  local x=$1\n  echo $((x + 1))\n}",
        "# Says it.\nfunction say {\n  for word in \"$@\"; do\n    echo \"$word\"\n  done\n}",
    ]),
    ".kt": ("package a\n\nimport b.C", [
        "/** Adds one. */\n@JvmStatic\nfun add(x: Int): Int {\n    return x + 1\n}",
        "/** A point. */\ndata class Point(val x: Int, val y: Int) {\n    fun sum() = x + y\n}",
    ]),
    ".swift": ("import Foundation", [
        "/// Adds one.\nfunc add(_ x: Int) -> Int {\n    return x + 1\n}",
        "/// A point.\n@objc\nclass Point: NSObject {\n    var x = 0\n}",
    ]),
    ".scala": ("package a\n\nimport b.C", [
        "/** Adds. */\n@inline\ndef add(x: Int): Int = {\n  val y = x + 1\n  y\n}",
        "/** A point. */\nclass Point(val x: Int) {\n  def next = x + 1\n}",
    ]),
    ".lua": ("local M = {}", [
        "--- Adds one.\n-- @param x number\nfunction M.add(x)\n  return x + 1\nend",
        "-- Says it.\nlocal function say(word)\n  print(word)\nend",
    ]),
    ".hs": ("module A where\n\nimport Data.List (sort)", [
        "-- | The length of a list.\nsize :: [a] -> Int\nsize [] = 0\nsize (_ : xs) = 1 + size xs",
        "-- | A shape.\ndata Shape\n  = Circle Double\n  | Square Double\n  deriving (Show)",
        "-- | Twice.\ntwice :: Int -> Int\ntwice x = y\n  where\n    y = x + x",
    ]),
    ".ml": ("open Printf", [
        "(** Adds one. *)\nlet add x =\n  let y = x + 1 in\n  y",
        "(** A shape. *)\ntype shape =\n  | Circle of float\n  | Square of float",
    ]),
    ".jl": ("using LinearAlgebra", [
        '"""\n    add(x)\n\nAdds one.\n"""\nfunction add(x)\n    y = x + 1\n    return y\nend',
        "# A point.\nstruct Point\n    x::Float64\n    y::Float64\nend",
    ]),
    ".r": ("library(stats)", [
        "#' Adds one.\n#' @export\nadd <- function(x) {\n  y <- x + 1\n  y\n}",
        "# Says it.\nsay <- function(word) {\n  print(word)\n}",
    ]),
    ".pl": ("use strict;\nuse warnings;", [
        "# Adds one.\nsub add {\n    my ($x) = @_;\n    return $x + 1;\n}",
        "=head2 say\n\nSays it.\n\n=cut\n\nsub say_it {\n    print shift;\n}",
    ]),
    ".sql": ("SET search_path = a;", [
        "-- All people.\nCREATE TABLE people (\n  id INT PRIMARY KEY,\n  name TEXT NOT NULL\n);",
        "-- The old ones.\nSELECT id, name\nFROM people\nWHERE age > 60\nORDER BY name;",
    ]),
    ".dart": ("import 'dart:io';", [
        "/// Adds one.\nint add(int x) {\n  final y = x + 1;\n  return y;\n}",
        "/// A point.\nclass Point {\n  int x = 0;\n  int y = 0;\n}",
    ]),
    ".ex": ("import Kernel", [
        "# Adds.\ndefmodule Adding do\n  def add(x) do\n    x + 1\n  end\nend",
        "# Says.\ndefmodule Saying do\n  def say(word), do: IO.puts(word)\nend",
    ]),
    ".erl": ("-module(a).\n-import(lists, [map/2]).", [
        "%% The length of a list.\n-spec size(list()) -> integer().\nsize([]) -> 0;\nsize([_ | T]) -> 1 + size(T).",
        "%% Says it.\nsay(Word) ->\n    io:format(\"~p~n\", [Word]),\n    ok.",
    ]),
    ".zig": ('const std = @import("std");', [
        "/// Adds one.\npub fn add(x: i32) i32 {\n    const y = x + 1;\n    return y;\n}",
        "/// A point.\nconst Point = struct {\n    x: i32,\n    y: i32,\n};",
    ]),
    ".css": ('@import "base.css";', [
        "/* The menu. */\n.menu > li {\n  color: red;\n  margin: 0;\n}",
        "/* On phones. */\n@media (max-width: 600px) {\n  .menu { display: none; }\n}",
    ]),
    ".fs": ("module A\n\nopen System", [
        "/// Adds one.\nlet add x =\n    let y = x + 1\n    y",
        "/// A point.\ntype Point =\n    { X: float\n      Y: float }",
    ]),
    ".clj": ("(ns a.core (:require [b.c :as c]))", [
        ';; Adds one.\n(defn add\n  "To x."\n  [x]\n  (+ x 1))',
        ";; Says it.\n(defn say [word]\n  (println word)\n  word)",
    ]),
    ".groovy": ("import a.B", [
        "/** Adds one. */\ndef add(int x) {\n    def y = x + 1\n    return y\n}",
        "/** A point. */\nclass Point {\n    int x\n    int y\n}",
    ]),
    ".ps1": ("$ErrorActionPreference = 'Stop'", [
        "# Adds one.\nfunction Add-One {\n    param([int]$x)\n    return $x + 1\n}",
        "<#\nSays it.\n#>\nfunction Say-It($word) {\n    Write-Host $word\n}",
    ]),
    ".f90": ("! All of it.", [
        "! Adds one.\ninteger function add(x)\n  integer, intent(in) :: x\n  add = x + 1\nend function add",
        "! Says it.\nsubroutine say(word)\n  character(*), intent(in) :: word\n  print *, word\nend subroutine say",
    ]),
    ".tf": ('terraform {\n  required_version = ">= 1.0"\n}', [
        '# The server.\nresource "aws_instance" "web" {\n  ami  = "ami-1"\n  type = "t2.micro"\n}',
        '# Its name.\nvariable "name" {\n  type    = string\n  default = "web"\n}',
    ]),
    ".proto": ('syntax = "proto3";\nimport "a.proto";', [
        "// A person.\nmessage Person {\n  string name = 1;\n  int32 id = 2;\n}",
        "// Finds people.\nservice Finder {\n  rpc Find(Name) returns (Person);\n}",
    ]),
    ".sol": ("pragma solidity ^0.8.0;", [
        "/// Holds money.\ncontract Purse {\n    uint public sum;\n    function add(uint x) public { sum += x; }\n}",
        "/// What it can do.\ninterface Holder {\n    function add(uint x) external;\n}",
    ]),
    ".m": ("% All of it.", [
        "% Adds one.\nfunction y = add(x)\n  y = x + 1;\nend",
        "% Says it.\nfunction say(word)\n  disp(word);\nend",
    ]),
    ".mm": ("#import <Foundation/Foundation.h>", [
        "/// A point.\n@interface Point : NSObject\n@property int x;\n- (int)next;\n@end",
        "// Its code.\n@implementation Point\n- (int)next {\n  return self.x + 1;\n}\n@end",
    ]),
    ".cu": ("#include <cuda.h>", [
        "// Adds.\n__global__ void add(int *x) {\n  int at = threadIdx.x;\n  x[at] += 1;\n}",
        "// On the host.\nint start(int n) {\n  return n + 1;\n}",
    ]),
    ".nix": ("{\n  top = 1;", [
        "# A package.\nalpha = mkDerivation {\n  name = \"a\";\n  src = ./.;\n};",
        "# Twice.\ntwice = x:\n  let y = x + x;\n  in y;",
    ]),
    ".yaml": ("version: 1", [
        "# The server.\nserver:\n  port: 80\n  hosts:\n    - one\n    - two",
        "# Who may.\nusers:\n  - name: ann\n    role: admin",
    ]),
    ".toml": ('title = "a"', [
        "# The server.\n[server]\nport = 80\nhosts = [\"one\", \"two\"]",
        "# Who may.\n[[users]]\nname = \"ann\"\nrole = \"admin\"",
    ]),
    ".vim": ("set nocompatible", [
        '" Adds one.\nfunction! Add(x)\n  let l:y = a:x + 1\n  return l:y\nendfunction',
        '" Says it.\nfunction! Say(word)\n  echo a:word\nendfunction',
    ]),
    ".tcl": ("package require Tcl 8.5", [
        "# Adds one.\nproc add {x} {\n  set y [expr {$x + 1}]\n  return $y\n}",
        "# Says it.\nproc say {word} {\n  puts $word\n}",
    ]),
    ".cmake": ("cmake_minimum_required(VERSION 3.10)", [
        "# Adds one.\nfunction(add x)\n  math(EXPR y \"${x} + 1\")\n  message(${y})\nendfunction()",
        "# Says it.\nmacro(say word)\n  message(${word})\nendmacro()",
    ]),
    ".nim": ("import strutils", [
        "# Adds one.\nproc add(x: int): int =\n  let y = x + 1\n  return y",
        "# Says it.\nproc say(word: string) =\n  echo word\n  echo word",
    ]),
    ".el": ("(require 'cl-lib)", [
        ';; Adds one.\n(defun add (x)\n  "To X."\n  (+ x 1))',
        ";; Says it.\n(defun say (word)\n  (message word)\n  word)",
    ]),
    ".pas": ("program A;\nuses SysUtils;", [
        "// Adds one.\nfunction Add(x: Integer): Integer;\nbegin\n  Result := x + 1;\nend;",
        "{ Says it. }\nprocedure Say(word: string);\nbegin\n  WriteLn(word);\nend;",
    ]),
    ".vhd": ("library ieee;", [
        "-- Adds.\nentity adder is\n  port (a : in bit; b : out bit);\nend adder;",
        "-- Its inside.\narchitecture plain of adder is\nbegin\n  b <= a;\nend plain;",
    ]),
    ".sv": ("`timescale 1ns/1ps", [
        "// Adds.\nmodule adder(input a, output b);\n  assign b = a;\nendmodule",
        "// Counts.\nmodule counter(input clk, output reg q);\n  always @(posedge clk) q <= ~q;\nendmodule",
    ]),
    ".gd": ("extends Node", [
        "# Adds one.\nfunc add(x):\n\tvar y = x + 1\n\treturn y",
        "# Says it.\nfunc say(word):\n\tprint(word)\n\tprint(word)",
    ]),
    ".elm": ("module A exposing (..)\n\nimport Html", [
        "{-| Adds one. -}\nadd : Int -> Int\nadd x =\n    x + 1",
        "-- A shape.\ntype Shape\n    = Circle Float\n    | Square Float",
    ]),
    ".graphql": ("scalar Date", [
        "# A person.\ntype Person {\n  id: ID!\n  name: String\n}",
        "# What is asked.\nquery People {\n  people { name }\n}",
    ]),
    ".d": ("module a;\nimport std.stdio;", [
        "/// Adds one.\nint add(int x)\n{\n    return x + 1;\n}",
        "/// A point.\nstruct Point\n{\n    int x;\n}",
    ]),
    ".adb": ("with Ada.Text_IO;", [
        "-- Adds one.\nfunction Add (X : Integer) return Integer is\nbegin\n   return X + 1;\nend Add;",
    ]),
    ".glsl": ("#version 330", [
        "// Adds.\nfloat add(float x) {\n  return x + 1.0;\n}",
        "// All.\nvoid main() {\n  float y = add(1.0);\n}",
    ]),
    ".mk": ("CC = gcc", [
        "# The program.\nprog: main.o\n\t$(CC) -o prog main.o\n\tstrip prog",
        "# Tidy.\nclean:\n\trm -f *.o\n\trm -f prog",
    ]),
}  # fmt: skip


ENDS = {".nix": "}", ".pas": "begin\nend."}
"""What must stand at the end of the file."""


def cut(text, size, name, **options):
    return chunk(Document.from_text(text, name=name), "code", size=size, **options)


@pytest.mark.parametrize("ending", FLAT)
def test_c16_functions_of_other_languages_stay_whole_with_their_comments(ending):
    """C16: fifty times the same functions under other names; each is in one chunk with what describes it."""
    top, pieces = FLAT[ending]
    text = "\n\n".join([top, *pieces * 50, ENDS.get(ending, "")]) + "\n"
    assert not parser_of(language_of("a" + ending, text).name).parse(text.encode()).root_node.has_error
    for size in (max(map(len, pieces)), 150, 400):
        made = cut(text, size, "a" + ending)
        assert lost(made, text) == 0
        texts = made.texts()
        assert max(map(len, texts)) <= size
        for piece in pieces:
            assert sum(one.count(piece) for one in texts) == 50, (size, piece, texts[:6])


# A class or the like with methods: its context (three grammars name no head), opening lines, methods, and end.
NESTED: dict[str, tuple[str, str, list[str], str]] = {
    ".rb": ("class A < B", "class A < B", ["# Doc {n}.\n  def m{n}(x)\n    x + {n}\n  end"], "end"),
    ".cs": (
        "class A : B\n{", "class A : B\n{",
        ["/// Doc {n}.\n  [Fast]\n  int M{n}(int x)\n  {\n    return {n};\n  }"], "}",
    ),
    ".php": (
        "class A extends B {", "<?php\nclass A extends B {",
        ["/** Doc {n}. */\n  function m{n}($x) {\n    return {n};\n  }"], "}",
    ),
    ".kt": (
        "class A : B() {", "class A : B() {",
        ["/** Doc {n}. */\n  fun m{n}(x: Int): Int {\n    return {n}\n  }"], "}",
    ),
    ".swift": (
        "class A: B {", "class A: B {",
        ["/// Doc {n}.\n  func m{n}(x: Int) -> Int {\n    return {n}\n  }"], "}",
    ),
    ".scala": (
        "class A extends B {", "class A extends B {",
        ["/** Doc {n}. */\n  def m{n}(x: Int): Int = {\n    {n}\n  }"], "}",
    ),
    ".dart": (
        "class A extends B {", "class A extends B {",
        ["/// Doc {n}.\n  @override\n  int m{n}(int x) {\n    return {n};\n  }"], "}",
    ),
    ".ex": (
        "defmodule A do", "defmodule A do",
        ['@doc "Doc {n}."\n  @spec m{n}(x) :: y\n  def m{n}(x) do\n    x + {n}\n  end'], "end",
    ),
    ".groovy": ("", "class A extends B {", ["/** Doc {n}. */\n  int m{n}(int x) {\n    return {n}\n  }"], "}"),
    ".d": ("class A : B\n{", "class A : B\n{", ["/// Doc {n}.\n  int m{n}(int x)\n  {\n    return {n};\n  }"], "}"),
    ".sol": (
        "contract A is B {", "contract A is B {",
        ["/// Doc {n}.\n  function m{n}(uint x) public {\n    y = {n};\n  }"], "}",
    ),
    ".ps1": ("class A {", "class A {", ["# Doc {n}.\n  [int] M{n}([int]$x) {\n    return {n}\n  }"], "}"),
    ".fs": ("", "type A() =", ["/// Doc {n}.\n  member this.M{n}(x) =\n    let y = x + {n}\n    y"], ""),
    ".ml": (
        "A = struct", "module A = struct",
        ["(** Doc {n}. *)\n  let m{n} x =\n    let y = x + {n} in\n    y"], "end",
    ),
    ".jl": ("module A", "module A", ["# Doc {n}.\n  function m{n}(x)\n    x + {n}\n  end"], "end"),
    ".cu": ("class A : B {", "class A : B {", ["// Doc {n}.\n  int m{n}(int x) {\n    return {n};\n  }"], "};"),
    ".mm": ("", "@implementation A", ["/// Doc {n}.\n- (int)m{n}:(int)x {\n    return {n};\n  }"], "@end"),
    ".gd": ("class A:", "class A:", ["# Doc {n}.\n  func m{n}(x):\n    return {n}"], ""),
    ".proto": (
        "service A {", 'syntax = "proto3";\nservice A {',
        ["// Doc {n}.\n  rpc M{n}(Question) returns (Answer) {\n    option old = {n};\n  }"], "}",
    ),
    ".pl": ("package A {", "package A {", ["# Doc {n}.\n  sub m{n} {\n    return {n};\n  }"], "}"),
}  # fmt: skip


@pytest.mark.parametrize("ending", NESTED)
def test_c16_a_long_class_of_other_languages_is_opened_between_methods_that_know_it(ending):
    """C16: each method whole with its comment, and after the first chunk the signature around it as context."""
    told, top, methods, end = NESTED[ending]
    pieces = [method.replace("{n}", str(number)) for number in range(10, 60) for method in methods]
    text = "\n\n".join([top, *("  " + piece for piece in pieces)]) + f"\n{end}\n"
    assert not parser_of(language_of("a" + ending, text).name).parse(text.encode()).root_node.has_error
    made = cut(text, 200, "a" + ending)
    assert lost(made, text) == 0
    texts = made.texts()
    assert all(sum(piece in one for one in texts) == 1 for piece in pieces), texts[:5]
    assert set(made.contexts[2:]) == ({told} if told else set())
    assert max(map(len, made.indexed_texts())) <= 200


@pytest.mark.parametrize("name", OTHERS)
@given(
    st.lists(st.sampled_from([*TOKENS, "end", "do", "begin", "--", "<", ">", "/*", "=", "#"]), max_size=40),
    st.integers(1, 40),
)
@settings(max_examples=30)
def test_c16_broken_code_in_every_other_language_is_kept_within_the_size(name, tokens, size):
    """C16: nothing but white space is lost, chunks do not overlap, chunk and context together fit."""
    text = "".join(tokens)
    made = cut(text, size, "a.txt", language=name, imports=True)
    assert lost(made, text) == 0
    assert (made.starts[1:] >= made.ends[:-1]).all()
    assert all(len(indexed) <= size for indexed in made.indexed_texts())


def test_c16_every_ending_is_one_language_and_its_files_open_as_source_code():
    """C16, D11: no ending twice; data and markup with chunkers of their own stay with them; YAML and TOML stay text."""
    endings = [ending for one in LANGUAGES.values() for ending in one.endings]
    assert len(LANGUAGES) == 128
    assert len(endings) == len(set(endings))
    for one in LANGUAGES.values():
        assert language_named(one.name) == one
        for ending in one.endings:
            assert KINDS[ending].kind == ("text" if one.name in ("yaml", "toml") else "code")
            assert advised_chunker(Document.from_text("x", name="A" + ending.upper())) == "code"
    for ending, kind in {".md": "markdown", ".html": "html", ".csv": "csv", ".tsv": "csv", ".json": "json"}.items():
        assert KINDS[ending].kind == kind
        assert ending not in endings


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.h", "#include <a.h>\nint f(void);\n/* a class of things */\n", "c"),
        ("a.h", "#pragma once\nnamespace a {\nint f();\n}\n", "cpp"),
        ("a.h", "#import <A.h>\n@interface A : B\n@end\n", "objc"),
        ("a.m", "function y = f(x)\n  y = x;\nend\n", "matlab"),
        ("a.m", "#import <A.h>\n@implementation A\n@end\n", "objc"),
        ("a.v", "module a(input b);\nendmodule\n", "verilog"),
        ("a.v", "module main\n\nfn f() {\n}\n", "v"),
    ],
)
def test_c16_an_ending_of_several_languages_is_told_by_the_text(name, text, language):
    """C16: headers of C, C++ and Objective-C, MATLAB and Objective-C, V and Verilog."""
    assert language_of(name, text).name == language
    assert not parser_of(language).parse(text.encode()).root_node.has_error


def test_c16_a_comment_that_ends_a_perl_file_does_not_hang_its_grammar():
    """C16: without a line's end after it the grammar does not return."""
    assert cut("r#a", 10, "a.pl").texts() == ["r#a"]


def test_c16_deep_nesting_is_neither_recursion_nor_quadratic():
    """C16: brackets of Lisp, ten thousand deep, with a comment inside."""
    text = "(" * 10_000 + " ; c\n" + ")" * 10_000
    assert lost(cut(text, 50, "a.clj"), text) == 0


def test_c16_what_stands_between_a_node_and_the_comment_at_its_end_is_kept():
    """C16: a mark that the grammar leaves out of its tree, before a comment that goes with what follows."""
    text = 'if""\nt""\n\\"'
    assert lost(cut(text, 9, "a.vim"), text) == 0
