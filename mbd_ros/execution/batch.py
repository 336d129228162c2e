"""
IR of the loop over the rows of a batch, W rows at a time.

W rows of each argument are packed into vectors, entry by entry, the kernel runs once on these, and
the result is unpacked into W rows. The last block overlaps the one before it, so that every row
goes through the same code.

"""

from __future__ import annotations

from collections.abc import Sequence

from mbd_ros.execution.machine_code import address_ir
from mbd_ros.execution.straight_line import Width
from mbd_ros.execution.workspace import DECLARATIONS, give_ir, take_ir


def batch_ir(sizes: Sequence[int], result_size: int, width: Width) -> str:
    """
    Return the IR of ``int64 batch(int64 n, argument..., gravity, result)`` for n >= W.

    It gives 1 if all entries of arguments and result are finite, else 0; the rows of states that
    are finite are right even so. The kernel is the first of the module's addresses.

    Parameters
    ----------
    sizes : sequence of int
        Entries of one row of each argument.
    result_size : int
        Entries of one row of the result.
    width : Width
        W.

    Returns
    -------
    str
        LLVM IR.

    """
    names = [f'a{k}' for k in range(len(sizes))]
    parameters = ', '.join(f'ptr %{name}' for name in [*names, 'gravity', 'result'])
    lines = [DECLARATIONS, f'define i64 @batch(i64 %n, {parameters}) nounwind {{', 'entry:',
             *take_ir('%memory', 8 * width.lanes * (sum(sizes) + result_size), 'entry')]
    lines.append(address_ir('%kernel', 0))
    offset = 0
    for name, size in zip([*names, 'result'], [*sizes, result_size]):
        lines.append(
            f'  %{name}.vectors = getelementptr {width.type}, ptr %memory, i64 {offset}')
        offset += size
    lines += [f'  %final = sub i64 %n, {width.lanes}', '  br label %test', 'test:',
              f'  %zeros = phi {width.type} [{width.constant(0.0)}, %taken], '
              '[%result.zeros, %unpacked]',
              '  %i = phi i64 [0, %taken], [%next, %unpacked]',
              '  %more = icmp slt i64 %i, %n', '  br i1 %more, label %block, label %done',
              'block:', '  %late = icmp sgt i64 %i, %final',
              '  %row = select i1 %late, i64 %final, i64 %i']
    before = 'block', '%zeros'
    for name, size in zip(names, sizes):
        lines += _transposed(name, size, width, before, pack=True)
        before = f'{name}.done', f'%{name}.zeros'
    vectors = ', '.join(f'ptr %{name}.vectors' for name in names)
    lines.append(f'  call void %kernel({vectors}{", " if names else ""}ptr %gravity, '
                 'ptr %result.vectors)')
    lines += _transposed('result', result_size, width, before, pack=False)
    lines += ['  br label %unpacked', 'unpacked:', f'  %next = add i64 %i, {width.lanes}',
              '  br label %test', 'done:', *give_ir(),
              f'  %finite = fcmp oeq {width.type} %zeros, {width.constant(0.0)}',
              f'  %bits = bitcast <{width.lanes} x i1> %finite to i{width.lanes}',
              f'  %all = icmp eq i{width.lanes} %bits, -1', '  %answer = zext i1 %all to i64',
              '  ret i64 %answer', '}']
    return '\n'.join(lines)


def _transposed(name: str, size: int, width: Width, before: tuple[str, str], pack: bool
                ) -> list[str]:
    """
    Return the loop over entries that packs W rows into vectors, or unpacks them.

    It adds 0 * x for every entry to a sum, which stays zero as long as all are finite; ``before``
    are the block that comes first and the sum there.
    """
    kind, (label, zeros) = width.type, before
    lines = [f'  %{name}.first = mul i64 %row, {size}', f'  br label %{name}.loop',
             f'{name}.loop:', f'  %{name}.k = phi i64 [0, %{label}], [%{name}.k1, %{name}.body]',
             f'  %{name}.zeros = phi {kind} [{zeros}, %{label}], [%{name}.sum, %{name}.body]',
             f'  %{name}.more = icmp slt i64 %{name}.k, {size}',
             f'  br i1 %{name}.more, label %{name}.body, label %{name}.done', f'{name}.body:',
             f'  %{name}.at = add i64 %{name}.first, %{name}.k',
             f'  %{name}.v = getelementptr {kind}, ptr %{name}.vectors, i64 %{name}.k']
    if not pack:
        lines.append(f'  %{name}.x = load {kind}, ptr %{name}.v, align 8')
    value = 'poison'
    for lane in range(width.lanes):
        lines += [f'  %{name}.o{lane} = add i64 %{name}.at, {lane * size}',
                  f'  %{name}.p{lane} = getelementptr double, ptr %{name}, i64 %{name}.o{lane}']
        if pack:
            lines += [f'  %{name}.e{lane} = load double, ptr %{name}.p{lane}',
                      f'  %{name}.x{lane} = insertelement {kind} {value}, '
                      f'double %{name}.e{lane}, i64 {lane}']
            value = f'%{name}.x{lane}'
        else:
            lines += [f'  %{name}.e{lane} = extractelement {kind} %{name}.x, i64 {lane}',
                      f'  store double %{name}.e{lane}, ptr %{name}.p{lane}']
    if pack:
        lines.append(f'  store {kind} {value}, ptr %{name}.v, align 8')
    else:
        value = f'%{name}.x'
    return [*lines, f'  %{name}.zero = fmul {kind} {value}, {width.constant(0.0)}',
            f'  %{name}.sum = fadd {kind} %{name}.zeros, %{name}.zero',
            f'  %{name}.k1 = add i64 %{name}.k, 1', f'  br label %{name}.loop',
            f'{name}.done:']
