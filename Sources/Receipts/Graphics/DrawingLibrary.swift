internal import CCairo

/// The functions of cairo and Pango, loaded on first use.
struct DrawingLibrary: Sendable {
    /// Pointers to functions of libraries that are never closed: they never change.
    let functions: ccairo_functions

    static func load() throws(ReceiptError) -> ccairo_functions { try loaded.get().functions }

    private static let loaded: Result<DrawingLibrary, ReceiptError> = {
        var functions = ccairo_functions()
        if let missing = ccairo_load(&functions) {
            return .failure(.libraryMissing(String(cString: missing)))
        }
        return .success(DrawingLibrary(functions: functions))
    }()
}
