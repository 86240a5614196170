internal import CCurl

/// The requests that libcurl is carrying out. It belongs to the loop's thread.
struct CurlTransfers {
    private let library: CurlLibrary
    private let configuration: CurlConfiguration
    private let multi: UnsafeMutableRawPointer
    private var running: [UnsafeMutableRawPointer: (job: CurlJob, transfer: CurlTransfer)] = [:]
    /// Handles that wait for their next request: making one costs more than cleaning it.
    private var idle: [CurlHandle] = []

    private static let idleLimit = 16

    init(library: CurlLibrary, configuration: CurlConfiguration, multi: UnsafeMutableRawPointer) {
        (self.library, self.configuration, self.multi) = (library, configuration, multi)
    }

    var isEmpty: Bool { running.isEmpty }

    mutating func begin(_ job: CurlJob) {
        guard let handle = idle.popLast() ?? CurlHandle(library: library, configuration: configuration) else {
            job.continuation.resume(returning: .failure(.transportUnavailable("libcurl has no memory")))
            return
        }
        let transfer = CurlTransfer(request: job.request, handle: handle)
        let code = library.functions.curl_multi_add_handle(multi, handle.pointer)
        guard code == CURLM_OK else {
            job.continuation.resume(returning: .failure(.transportUnavailable("libcurl refuses a request (\(code))")))
            return
        }
        running[handle.pointer] = (job, transfer)
    }

    /// Ends the requests of these numbers. Numbers of others are passed over.
    mutating func cancel(_ ids: Set<UInt64>) {
        for (pointer, entry) in running where ids.contains(entry.job.id) { abandon(pointer) }
    }

    mutating func cancelAll() {
        for pointer in running.keys { abandon(pointer) }
    }

    /// Does what can be done without waiting, and answers what has ended.
    ///
    /// - Returns: whether anything has.
    mutating func advance() -> Bool {
        var hasEnded = false
        var count: Int32 = 0
        _ = library.functions.curl_multi_perform(multi, &count)
        while let message = library.functions.curl_multi_info_read(multi, &count) {
            guard message.pointee.msg == CURLMSG_DONE, let pointer = message.pointee.easy_handle else { continue }
            let code = ccurl_message_result(message)
            guard let entry = running.removeValue(forKey: pointer) else { continue }
            let result = entry.transfer.result(code)
            remove(entry.transfer)
            entry.job.continuation.resume(returning: result)
            hasEnded = true
        }
        return hasEnded
    }

    private mutating func abandon(_ pointer: UnsafeMutableRawPointer) {
        guard let entry = running.removeValue(forKey: pointer) else { return }
        let wasSent = entry.transfer.wasSent
        remove(entry.transfer)
        entry.job.continuation.resume(returning: .failure(.cancelled(wasSent: wasSent)))
    }

    private mutating func remove(_ transfer: CurlTransfer) {
        _ = library.functions.curl_multi_remove_handle(multi, transfer.handle.pointer)
        guard idle.count < Self.idleLimit else { return }
        transfer.handle.clean(isPlain: transfer.isPlain)
        idle.append(transfer.handle)
    }
}
