"""Which comments say something of the code."""

import pytest

from quipu.records.documentation import documents


@pytest.mark.parametrize(
    ("comment", "says"),
    [
        ("// Adds two numbers.", True),
        ("# Returns the rate; see the copying rules.", True),
        ("/* Opens the file. */", True),
        ('#include <stdio.h>\n#include "util.h"', False),
        ("#include <stdio.h>\n// Adds.", True),
        ("#define LIMIT 3", False),
        ("# -*- coding: utf-8 -*-", False),
        ("//go:build linux", False),
        ("#!/bin/sh", False),
        ("// Copyright 2020 The Authors.\n// All rights reserved.", False),
        ("/* SPDX-License-Identifier: MIT */", False),
        ("Licensed under the Apache License, Version 2.0", False),
        ("// ----", False),
        ("", False),
        ("# includes every row", True),
        ("# if the file is gone, nothing is read", True),
    ],
)
def test_a_comment_documents_or_not(comment: str, says: bool) -> None:
    assert documents(comment) is says
