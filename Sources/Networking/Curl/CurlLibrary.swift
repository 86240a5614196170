internal import CCurl

/// The functions of libcurl, loaded on first use.
struct CurlLibrary: Sendable {
    // Pointers to functions of a library that is never closed: they never change. Those with a variable number of
    // arguments are imported as bare pointers, which are not Sendable.
    nonisolated(unsafe) let functions: ccurl_functions

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
        return .success(CurlLibrary(functions: functions))
    }()
}
