#!/bin/bash
wc -l < data.txt > out.txt
