#!/usr/bin/env node
import '../dist/src/cli/cls-explorer.js';
