internal import CCUPS

extension CUPSConnection {
    /// The queues of the server; a variant of one that a user has made with options of its own is none.
    borrowing func queues() throws(PrinterError) -> [PrintQueue] {
        var destinations: UnsafeMutablePointer<cups_dest_t>?
        let count = ccups_get_destinations(cups, http, &destinations)
        defer { ccups_free_destinations(cups, count, destinations) }
        guard let destinations else { return [] }
        var queues: [PrintQueue] = []
        for index in 0..<count {
            guard destinations[index].instance == nil, let queue = queue(destinations + index) else { continue }
            queues.append(queue)
        }
        return queues.sorted { $0.name < $1.name }
    }

    /// A queue as the options of its destination tell; nil for one without a name.
    borrowing func queue(_ destination: UnsafePointer<cups_dest_t>) -> PrintQueue? {
        let cups = cups
        func option(_ name: String) -> String? {
            ccups_option_of(cups, destination, name).map { String(cString: $0) }
        }
        guard let name = destination.pointee.name.map({ String(cString: $0) }) else { return nil }
        let state = option("printer-state").flatMap { Int($0) }.flatMap(PrintQueue.State.init) ?? .unknown
        return PrintQueue(
            name: name, isDefault: ccups_is_default(destination), state: state,
            isAcceptingJobs: option("printer-is-accepting-jobs") != "false",
            reasons: option("printer-state-reasons")?.split(separator: ",").map(String.init) ?? [],
            message: state == .idle ? nil : stateMessage(of: name),
            address: option("device-uri").map(PrintQueue.withoutCredentials),
            model: option("printer-make-and-model"))
    }

    /// What a queue says of its state for people, which is not among the options of a destination; nil when it says
    /// nothing.
    private borrowing func stateMessage(of queue: String) -> String? {
        guard
            let request = try? request(IPP_OP_GET_PRINTER_ATTRIBUTES, uri: ("printer-uri", Self.uri(ofQueue: queue)))
        else { return nil }
        _ = cups.ippAddString(
            request, IPP_TAG_OPERATION, IPP_TAG_KEYWORD, "requested-attributes", nil, "printer-state-message")
        guard let (answer, _) = try? send(request) else { return nil }
        defer { cups.ippDelete(answer) }
        return strings(answer, "printer-state-message", IPP_TAG_TEXT).first { !$0.isEmpty }
    }

    /// CUPS lets a name have any character but those that end a path (RFC 3986 §2.1).
    static func uri(ofQueue name: String) -> String {
        "ipp://localhost/printers/"
            + name.utf8.map { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
    }
}
