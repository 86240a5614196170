internal import CCurl

/// The functions of libcurl, loaded on first use.
struct CurlLibrary: Sendable {
    // Pointers to functions of a library that is never closed: neither they nor their table ever change. Each call takes
    // one of them instead of a copy of all.
    nonisolated(unsafe) let table: UnsafePointer<ccurl_functions>

    var functions: ccurl_functions { table.pointee }

    static func load() throws(NetworkError) -> CurlLibrary { try loaded.get() }

    private static let loaded: Result<CurlLibrary, NetworkError> = {
        var functions = ccurl_functions()
        if let missing = ccurl_load(&functions) {
            return .failure(.transportUnavailable(String(cString: missing)))
        }
        let code = functions.curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard code == CURLE_OK else {
            return .failure(.transportUnavailable("libcurl does not start (\(code.rawValue))"))
        }
        let table = UnsafeMutablePointer<ccurl_functions>.allocate(capacity: 1)
        table.initialize(to: functions)
        return .success(CurlLibrary(table: UnsafePointer(table)))
    }()
}
