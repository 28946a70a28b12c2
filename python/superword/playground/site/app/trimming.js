// Trees of a size that can be drawn.

/** Copy a derivation tree, without what lies below its first nodes, level by level. */
export function trimTree(root, maxNodes) {
  const top = { ...root };
  const queue = [top];
  let count = 1;
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at];
    if (!node.left) continue;
    if (count + 2 > maxNodes) {
      Object.assign(node, { left: null, right: null, isTrimmed: true });
      continue;
    }
    node.left = { ...node.left };
    node.right = { ...node.right };
    queue.push(node.left, node.right);
    count += 2;
  }
  return top;
}
