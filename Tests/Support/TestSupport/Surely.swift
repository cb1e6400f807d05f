/// Does what cannot fail as it is written; the process ends with the reason where it does.
package func surely<Value>(_ work: () throws -> Value) -> Value {
    do {
        return try work()
    } catch {
        fatalError("\(error)")
    }
}
