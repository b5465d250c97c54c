#!/usr/bin/env node
import { TocsinError } from '../index.js';

console.log(TocsinError.name);
