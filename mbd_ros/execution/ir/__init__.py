"""From traced scalars to LLVM IR and machine code, kept in memory and on disk."""
