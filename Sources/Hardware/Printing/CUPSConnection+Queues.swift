internal import CCUPS

extension CUPSConnection {
    /// The queues of the server; a variant of one that a user has made with options of its own is none.
    borrowing func queues() throws(PrinterError) -> [PrintQueue] {
        var destinations: UnsafeMutablePointer<cups_dest_t>?
        let count = cups.cupsGetDests2(http, &destinations)
        defer { cups.cupsFreeDests(count, destinations) }
        guard let destinations, count > 0 else { return [] }
        var queues: [PrintQueue] = []
        for destination in UnsafeBufferPointer(start: destinations, count: Int(count)) {
            guard destination.instance == nil, let queue = queue(destination) else { continue }
            queues.append(queue)
        }
        return queues.sorted { $0.name < $1.name }
    }

    /// A queue as the options of its destination tell; nil for one without a name.
    borrowing func queue(_ destination: cups_dest_t) -> PrintQueue? {
        let cups = cups
        func option(_ name: String) -> String? {
            cups.cupsGetOption(name, destination.num_options, destination.options).map { String(cString: $0) }
        }
        guard let name = destination.name.map({ String(cString: $0) }) else { return nil }
        let state = option("printer-state").flatMap { Int($0) }.flatMap(PrintQueue.State.init) ?? .idle
        return PrintQueue(
            name: name, isDefault: destination.is_default != 0, state: state,
            isAcceptingJobs: option("printer-is-accepting-jobs") != "false",
            reasons: option("printer-state-reasons")?.split(separator: ",").map(String.init) ?? [],
            message: state == .idle ? nil : stateMessage(of: name),
            address: option("device-uri").map(PrintQueue.withoutCredentials),
            model: option("printer-make-and-model"))
    }

    /// What a queue says of its state for people, which is not among the options of a destination; nil when it says
    /// nothing.
    private borrowing func stateMessage(of queue: String) -> String? {
        guard let request = cups.ippNewRequest(IPP_OP_GET_PRINTER_ATTRIBUTES) else { return nil }
        // CUPS lets a name have any character but those that end a path (RFC 3986 §2.1).
        let path = queue.utf8.map { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_URI, "printer-uri", nil, "ipp://localhost/printers/\(path)")
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_KEYWORD, "requested-attributes", nil, "printer-state-message")
        guard let answer = cups.cupsDoRequest(http, request, "/") else { return nil }
        defer { cups.ippDelete(answer) }
        return strings(answer, "printer-state-message", IPP_TAG_TEXT).first { !$0.isEmpty }
    }
}
