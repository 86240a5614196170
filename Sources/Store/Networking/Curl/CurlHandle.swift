import CCurl

/// An easy handle of libcurl and the memory that it refers to. Used only on the loop's thread.
final class CurlHandle {
    let pointer: UnsafeMutableRawPointer
    /// The buffer for libcurl's error message.
    private let message: UnsafeMutablePointer<CChar>
    private var list: UnsafeMutablePointer<curl_slist>?
    private var address: WebAddress?
    private let library: CurlLibrary
    private let configuration: CurlConfiguration

    init?(library: CurlLibrary, configuration: CurlConfiguration) {
        guard let pointer = library.functions.curl_easy_init() else { return nil }
        (self.library, self.configuration, self.pointer) = (library, configuration, pointer)
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        configure()
    }

    /// Sets the options that are the same for all requests.
    private func configure() {
        set(CURLOPT_ERRORBUFFER, UnsafeRawPointer(message))
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.transferMilliseconds)
        set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
        if let authorities = configuration.authorities {
            set(CURLOPT_CAINFO, authorities)
            set(CURLOPT_CAPATH, "/nonexistent")
        }
    }

    deinit {
        library.functions.curl_easy_cleanup(pointer)
        library.functions.curl_slist_free_all(list)
        message.deallocate()
    }

    /// Removes the request. Keeps the common options and the address, which often repeats: setting them again takes
    /// longer than a request on an open connection.
    ///
    /// - Parameter isPlain: whether the request was a GET without a body.
    func clean(isPlain: Bool) {
        message.pointee = 0
        if isPlain {
            if list != nil { _ = ccurl_set_pointer(library.table, pointer, CURLOPT_HTTPHEADER, nil) }
        } else {
            // Also frees libcurl's copy of the body.
            library.functions.curl_easy_reset(pointer)
            address = nil
            configure()
        }
        library.functions.curl_slist_free_all(list)
        list = nil
    }

    func setAddress(_ address: WebAddress) {
        guard address != self.address else { return }
        set(CURLOPT_URL, address.text)
        self.address = address
    }

    func set(_ option: CURLoption, _ value: Int) { _ = ccurl_set_long(library.table, pointer, option, value) }

    func set(_ option: CURLoption, _ value: String) { _ = ccurl_set_string(library.table, pointer, option, value) }

    func set(_ option: CURLoption, _ value: UnsafeRawPointer) {
        _ = ccurl_set_pointer(library.table, pointer, option, value)
    }

    func set(_ option: CURLoption, _ receiver: curl_write_callback) {
        _ = ccurl_set_receiver(library.table, pointer, option, receiver)
    }

    /// libcurl copies the bytes.
    func setBody(_ body: [UInt8]) {
        _ = ccurl_set_offset(library.table, pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        body.withUnsafeBytes { bytes in
            // With a null pointer, libcurl would ask a callback for the body.
            var nothing: UInt8 = 0
            withUnsafePointer(to: &nothing) { empty in
                set(CURLOPT_COPYPOSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(empty))
            }
        }
    }

    func setHeaders(_ lines: [String]) {
        for line in lines {
            guard let longer = library.functions.curl_slist_append(list, line) else { continue }
            list = longer
        }
        if let list { set(CURLOPT_HTTPHEADER, UnsafeRawPointer(list)) }
    }

    /// Returns libcurl's description of an error.
    func explanation(of code: CURLcode) -> String {
        if message.pointee != 0 { return String(cString: message) }
        return library.functions.curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        _ = ccurl_get_long(library.table, pointer, info, &value)
        return value
    }
}

extension Duration {
    /// Milliseconds for libcurl; at least one, because zero means no limit.
    var transferMilliseconds: Int {
        let (seconds, attoseconds) = components
        let whole = min(max(0, seconds), 1_000_000)
        return max(1, Int(whole) * 1000 + Int(max(0, attoseconds) / 1_000_000_000_000_000))
    }
}

/// The functions of libcurl, loaded on first use.
struct CurlLibrary: Sendable {
    // The table of functions of a library that is never closed. It never changes, and a pointer avoids copying it.
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
            return .failure(.transportUnavailable("libcurl failed to start (\(code.rawValue))"))
        }
        let table = UnsafeMutablePointer<ccurl_functions>.allocate(capacity: 1)
        table.initialize(to: functions)
        return .success(CurlLibrary(table: UnsafePointer(table)))
    }()
}
