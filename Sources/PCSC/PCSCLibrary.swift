internal import CPCSC

/// The functions of libpcsclite, through which programs reach pcscd. Loaded on first use.
public struct PCSCLibrary: Sendable {
    /// Pointers to functions of a library that is never closed: they never change.
    let functions: cpcsc_functions

    init(functions: cpcsc_functions) { self.functions = functions }

    /// The library of this machine.
    ///
    /// - Throws: ``PCSCError/libraryMissing(_:)``
    public static func load() throws(PCSCError) -> PCSCLibrary { try loaded.get() }

    private static let loaded: Result<PCSCLibrary, PCSCError> = {
        var functions = cpcsc_functions()
        if let missing = cpcsc_load(&functions) { return .failure(.libraryMissing(String(cString: missing))) }
        return .success(PCSCLibrary(functions: functions))
    }()
}
