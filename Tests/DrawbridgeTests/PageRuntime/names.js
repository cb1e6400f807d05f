// Reads the files of the page runtime, which are named in their order, and prints for each which names of its own it
// `defines`, which of others it `uses`, and which it needs `atOnce`: while it is evaluated, not later in a function.
//   node --expose-internals names.js FILE...
const { parse } = require('internal/deps/acorn/acorn/dist/acorn');
const { readFileSync } = require('fs');

/// What belongs to a node, but for the names of members, which are not variables.
function children(node) {
    const isNamed = !node.computed && { MemberExpression: 'property', Property: 'key' }[node.type];
    return Object.entries(node).filter(([key]) => key !== isNamed).flatMap(([, value]) => value)
        .filter(value => value && typeof value.type === 'string');
}

/// The names that a pattern binds.
function bound(pattern) {
    switch (pattern && pattern.type) {
    case 'Identifier': return [pattern.name];
    case 'ObjectPattern': return pattern.properties.flatMap(({ value, argument }) => bound(value || argument));
    case 'ArrayPattern': return pattern.elements.flatMap(bound);
    case 'AssignmentPattern': return bound(pattern.left);
    case 'RestElement': return bound(pattern.argument);
    default: return [];
    }
}

/// The names that hold within a node: parameters, and what its statements declare.
function declared(node) {
    const names = [...node.params || [], node.param].flatMap(bound);
    if (node.type === 'FunctionExpression') names.push(...bound(node.id));
    for (const child of children(node)) {
        if (child.type === 'VariableDeclaration') {
            if (child.kind === 'var') throw new Error('var holds in the whole function: write let or const');
            names.push(...child.declarations.flatMap(({ id }) => bound(id)));
        } else if (child.type === 'FunctionDeclaration' || child.type === 'ClassDeclaration') {
            names.push(child.id.name);
        }
    }
    return names;
}

const isFunction = node => /Function/.test(node.type);

/// Tells of each name in a node that it does not declare itself, and whether it is needed at once and is called.
function walk(node, seen, hidden = new Set(), isAtOnce = true, isCalled = false) {
    if (node.type === 'Identifier') return hidden.has(node.name) || seen(node.name, isAtOnce, isCalled);
    const inner = new Set([...hidden, ...declared(node)]);
    for (const child of children(node)) {
        const isCallee = child === node.callee;
        walk(child, seen, inner, isAtOnce && (isCallee || !isFunction(child)), isCallee);
    }
}

const functions = new Map();
const modules = process.argv.slice(2).map(file => {
    const program = parse(readFileSync(file, 'utf8'), { ecmaVersion: 'latest', allowReturnOutsideFunction: true });
    const defines = declared(program);
    for (const node of program.body) if (isFunction(node)) functions.set(node.id.name, node);
    return { program, defines };
});

/// Notes what is needed at once, also by the functions that are called.
function needed(node, names) {
    const hidden = new Set(node.type === 'Program' ? [] : declared(node));
    for (const child of node.type === 'Program' ? node.body : [...node.params, node.body]) {
        if (isFunction(child) && node.type === 'Program') continue;
        walk(child, (name, isAtOnce, isCalled) => {
            if (!isAtOnce) return;
            const isNew = !names.has(name) || isCalled && !names.get(name);
            names.set(name, names.get(name) || isCalled);
            if (isNew && isCalled && functions.has(name)) needed(functions.get(name), names);
        }, hidden);
    }
    return names;
}

console.log(JSON.stringify(modules.map(({ program, defines }) => {
    const uses = new Set();
    walk(program, name => uses.add(name));
    return { defines, uses: [...uses], atOnce: [...needed(program, new Map()).keys()] };
})));
