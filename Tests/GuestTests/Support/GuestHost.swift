import Dispatch
import Glibc

/// The machine outside the guest. It moves readers and cards when it is asked to (Scripts/guest/agent.bash).
enum GuestHost {
    struct Refusal: Error, CustomStringConvertible {
        var description: String
    }

    /// The longest wait for an answer, in milliseconds.
    private static let patience: Int32 = 120_000

    /// Plugs the reader in, with the card that is under test if it is part of the reader.
    static func plugReader() async throws { try await ask(Guest.isCardFixed ? "plug\tlibcacard" : "plug") }

    static func unplugReader() async throws { try await ask("unplug") }

    /// Puts a card into the reader: the name of a profile or the path of one below the repository's root.
    static func insertCard(_ profile: String) async throws { try await ask("insert\t\(profile)") }

    static func removeCard() async throws { try await ask("remove") }

    /// Tells a figure for the table.
    static func tell(_ figure: String, _ value: Double, _ unit: String) async throws {
        let thousandths = (value * 1000).rounded() / 1000
        try await ask("figure\t\(Guest.controller)\t\(Guest.card)\t\(figure)\t\(thousandths)\t\(unit)")
    }

    private static func ask(_ request: String) async throws {
        // The port's calls block, and a Swift task's thread is not theirs to block.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try exchange(request) }) }
        }
    }

    private static func exchange(_ request: String) throws {
        let number = "\(getpid()).\(UInt32.random(in: .min ... .max))"
        let path = Guest.port ?? ""
        let port = open(path, O_RDWR | O_CLOEXEC)
        guard port >= 0 else { throw Refusal(description: "\(path): \(String(cString: strerror(errno)))") }
        defer { close(port) }
        let line = Array("\(number)\t\(request)\n".utf8)
        guard write(port, line, line.count) == line.count else {
            throw Refusal(description: "the port takes no request")
        }
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 512)
        while true {
            var watched = pollfd(fd: port, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, patience) > 0 else { throw Refusal(description: "the host does not answer") }
            let count = read(port, &chunk, chunk.count)
            guard count > 0 else { throw Refusal(description: "the port was closed") }
            received += chunk.prefix(count)
            while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let fields = String(decoding: received[..<end], as: UTF8.self).split(separator: "\t")
                received.removeSubrange(...end)
                // An answer to somebody who did not wait for it.
                guard fields.first.map(String.init) == number else { continue }
                guard fields.dropFirst().first == "ok" else {
                    throw Refusal(description: fields.dropFirst().joined(separator: " "))
                }
                return
            }
        }
    }
}
