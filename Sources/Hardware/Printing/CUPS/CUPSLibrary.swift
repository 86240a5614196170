internal import CCUPS

/// The functions of libcups, loaded on first use.
struct CUPSLibrary: Sendable {
    /// Pointers to functions of a library that is never closed: they never change.
    let functions: ccups_functions

    static func load() throws(PrinterError) -> CUPSLibrary { try loaded.get() }

    private static let loaded: Result<CUPSLibrary, PrinterError> = {
        var functions = ccups_functions()
        if let missing = ccups_load(&functions) {
            return .failure(.libraryMissing(String(cString: missing)))
        }
        return .success(CUPSLibrary(functions: functions))
    }()
}
