/// A function that a caller lends, such as the function of a test, for a task that may never end.
///
/// A body that waits for something that never happens, and does not end when it is canceled, can't be ended in Swift: its
/// task stays in memory, with everything that it refers to. `withoutActuallyEscaping` ends the process when a task still
/// refers to the function. So this value copies the two words of the function, its code and its context, and passes them
/// on without a reference.
///
/// Call it only while the caller lends the function. A task that never runs again does not use it anymore.
package struct UnretainedFunction: Sendable {
    package typealias Function = @concurrent @Sendable () async throws -> Void

    private struct Words {
        let code: UInt
        let context: UInt
    }

    // A function that does not escape is passed as its two words, so the types of each pair have the same layout and the
    // same calling convention. The structs keep the compiler from converting the functions that they contain.
    private struct FunctionReader { let read: @Sendable (Function) -> Words }
    private struct WordReader { let read: @Sendable (Words) -> Words }
    private struct FunctionCaller { let call: @concurrent @Sendable (Function) async throws -> Void }
    private struct WordCaller { let call: @concurrent @Sendable (Words) async throws -> Void }

    private let words: Words

    package init(_ function: Function) {
        words = unsafeBitCast(WordReader { $0 }, to: FunctionReader.self).read(function)
    }

    package func callAsFunction() async throws {
        try await unsafeBitCast(FunctionCaller { try await $0() }, to: WordCaller.self).call(words)
    }
}
