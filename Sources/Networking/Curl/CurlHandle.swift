internal import CCurl

/// An easy handle of libcurl, and what it points to. It belongs to the loop's thread.
final class CurlHandle {
    let pointer: UnsafeMutableRawPointer
    /// Where libcurl writes what went wrong.
    private let message: UnsafeMutablePointer<CChar>
    private var list: UnsafeMutablePointer<curl_slist>?
    private let library: CurlLibrary

    init?(library: CurlLibrary) {
        guard let pointer = library.functions.curl_easy_init() else { return nil }
        (self.library, self.pointer) = (library, pointer)
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        library.functions.curl_easy_cleanup(pointer)
        library.functions.curl_slist_free_all(list)
        message.deallocate()
    }

    /// Forgets everything but its connections.
    func reset() {
        library.functions.curl_easy_reset(pointer)
        library.functions.curl_slist_free_all(list)
        list = nil
        message.pointee = 0
    }

    func set(_ option: CURLoption, _ value: Int) {
        withUnsafePointer(to: library.functions) { _ = ccurl_set_long($0, pointer, option, value) }
    }

    func set(_ option: CURLoption, _ value: String) {
        withUnsafePointer(to: library.functions) { _ = ccurl_set_string($0, pointer, option, value) }
    }

    func set(_ option: CURLoption, _ value: UnsafeRawPointer) {
        withUnsafePointer(to: library.functions) { _ = ccurl_set_pointer($0, pointer, option, value) }
    }

    func set(_ option: CURLoption, _ receiver: curl_write_callback) {
        withUnsafePointer(to: library.functions) { _ = ccurl_set_receiver($0, pointer, option, receiver) }
    }

    /// libcurl copies the bytes.
    func setBody(_ body: [UInt8]) {
        withUnsafePointer(to: library.functions) { functions in
            _ = ccurl_set_offset(functions, pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            body.withUnsafeBytes { bytes in
                // Without an address libcurl would ask a callback for the body.
                var nothing: UInt8 = 0
                withUnsafePointer(to: &nothing) { empty in
                    _ = ccurl_set_pointer(
                        functions, pointer, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(empty))
                }
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

    func collectMessages() { set(CURLOPT_ERRORBUFFER, UnsafeRawPointer(message)) }

    /// What went wrong, in libcurl's words.
    func explanation(of code: CURLcode) -> String {
        if message.pointee != 0 { return String(cString: message) }
        return library.functions.curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        withUnsafePointer(to: library.functions) { _ = ccurl_get_long($0, pointer, info, &value) }
        return value
    }
}
