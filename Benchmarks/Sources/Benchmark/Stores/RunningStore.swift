/// `cardpresent simulate store` in a separate process, which ends with this object.
final class RunningStore {
    /// The address, without a trailing slash.
    let address: String
    let passwordFile: String
    private let server: RunningServer

    /// - Throws: `BenchmarkError` when the store does not print its address.
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
