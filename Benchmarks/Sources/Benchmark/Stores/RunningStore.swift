/// `cardpresent simulate store` in a process of its own, until this is let go of.
final class RunningStore {
    /// Without a slash at the end.
    let address: String
    let passwordFile: String
    private let server: RunningServer

    /// - Throws: `BenchmarkError` when it does not say where it is.
    init(program: String, folder: String, orders: Int) throws {
        passwordFile = folder + "/store-password"
        server = try RunningServer(
            program,
            [
                "simulate", "store", "--port", "0", "--seed", "1", "--orders", String(orders), "--password-file",
                passwordFile, "--token-file", folder + "/store-token",
            ], until: "\n  site")
        address = try server.address(after: "Store at ")
    }
}
