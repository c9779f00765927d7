#!/usr/bin/env node
import '../dist/src/cli/cls-books.js';
