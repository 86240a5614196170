import CardSecrets
import Text

/// Finds the messages in the bytes of a connection, however these are cut into pieces.
///
/// A reader that met an error is done: the stream has no place at which reading could go on, so close the connection.
public struct FrameReader: Sendable {
    /// What stands in a frame.
    public enum Content: Hashable, Sendable {
        /// Header and message.
        case body([UInt8])
        /// A length of zero.
        case keepAlive
    }

    public let format: FrameFormat
    private var buffer: [UInt8] = []
    /// The bytes of `buffer` that were read already.
    private var used = 0
    private var failure: FrameError?
    /// How much of a frame without a length was searched for its trailer.
    private var searched = 0

    public init(_ format: FrameFormat) { self.format = format }

    /// The number of bytes that belong to an incomplete frame.
    public var pendingCount: Int { buffer.count - used }

    /// Adds bytes of the connection.
    public mutating func feed(_ bytes: some Collection<UInt8>) {
        guard failure == nil else { return }
        if used > 0, used == buffer.count || used > 65_536 {
            buffer.removeFirst(used)
            used = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next whole frame; nil when more bytes are needed.
    ///
    /// - Throws: ``FrameError``, the same one again once there was one.
    public mutating func next() throws(FrameError) -> Content? {
        if let failure { throw failure }
        do throws(FrameError) { return try read() } catch {
            failure = error
            buffer.wipe()
            (buffer, used) = ([], 0)
            throw error
        }
    }

    /// Says that the connection ended.
    ///
    /// - Throws: ``FrameError`` when bytes of an incomplete frame are left.
    public mutating func finish() throws(FrameError) {
        if let failure { throw failure }
        guard pendingCount == 0 else { throw error(.endsEarly(pendingCount)) }
    }

    private func error(_ reason: FrameError.Reason) -> FrameError {
        FrameError(reason: reason, start: MaskedBytes.start(of: buffer[used...]))
    }

    private mutating func read() throws(FrameError) -> Content? {
        let available = buffer.count - used
        guard available > 0 else { return nil }
        for (place, byte) in format.prefix.prefix(available).enumerated() where buffer[used + place] != byte {
            throw error(.wrongPrefix)
        }
        guard format.lengthForm != .none else { return try readToTrailer() }
        let head = format.headLength
        // A length that cannot be right is an error at its first wrong byte, without waiting for more.
        let present = min(available, head) - format.prefix.count
        guard present > 0 else { return nil }
        let length = try length(present)
        guard available >= head else { return nil }
        let own = format.counts == .withItself ? format.lengthBytes : 0
        guard length >= own else { throw error(.tooShort(length, minimum: own)) }
        let body = length - own
        guard body <= format.maximumLength else { throw error(.tooLong(body, maximum: format.maximumLength)) }
        guard body > 0 || format.allowsKeepAlive else { throw error(.empty) }
        let size = head + body + format.tailLength
        guard available >= size else { return nil }
        try checkTail(head + body)
        return take(head, body, size)
    }

    private func length(_ present: Int) throws(FrameError) -> Int {
        let start = used + format.prefix.count
        let number = format.lengthUsed ?? format.lengthBytes
        let first = format.zerosFirst ? format.lengthBytes - number : 0
        var length = 0
        for place in 0..<present {
            let byte = buffer[start + place]
            guard (first..<first + number).contains(place) else {
                let zero: UInt8 = format.lengthForm == .ascii || format.lengthForm == .hexAscii ? 0x30 : 0
                guard byte == zero else { throw error(.lengthIsNoNumber) }
                continue
            }
            switch format.lengthForm {
            case .binary: length = length << 8 | Int(byte)
            case .bcd:
                guard byte >> 4 <= 9, byte & 0xF <= 9 else { throw error(.lengthIsNoNumber) }
                length = length * 100 + Int((byte >> 4) * 10 + byte & 0xF)
            case .ascii:
                guard (0x30...0x39).contains(byte) else { throw error(.lengthIsNoNumber) }
                length = length * 10 + Int(byte & 0xF)
            case .hexAscii:
                guard let digit = UInt8(hexadecimalDigit: byte) else { throw error(.lengthIsNoNumber) }
                length = length << 4 | Int(digit)
            case .none: break
            }
        }
        return length
    }

    private mutating func readToTrailer() throws(FrameError) -> Content? {
        let head = format.prefix.count
        guard let first = format.trailer.first else { throw error(.wrongTrailer) }
        let start = used + head
        var place = max(start, used + searched)
        while place < buffer.count, buffer[place] != first { place += 1 }
        searched = place - used
        guard place - start <= format.maximumLength else {
            throw error(.tooLong(place - start, maximum: format.maximumLength))
        }
        guard buffer.count - place >= format.tailLength, place < buffer.count else { return nil }
        let body = place - start
        guard body > 0 || format.allowsKeepAlive else { throw error(.empty) }
        try checkTail(head + body)
        return take(head, body, head + body + format.tailLength)
    }

    private func checkTail(_ offset: Int) throws(FrameError) {
        let end = used + offset + format.trailer.count
        guard buffer[(used + offset)..<end].elementsEqual(format.trailer) else { throw error(.wrongTrailer) }
        guard format.check == .xorFromSTX else { return }
        let sum = buffer[(used + format.prefix.count)..<end].reduce(0, ^)
        guard buffer[end] == sum else { throw error(.wrongCheck) }
    }

    private mutating func take(_ head: Int, _ body: Int, _ size: Int) -> Content {
        let content: Content =
            body == 0 ? .keepAlive : .body(Array(buffer[(used + head)..<(used + head + body)]))
        for place in used..<used + size { buffer[place] = 0 }
        (used, searched) = (used + size, 0)
        if used == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            used = 0
        }
        return content
    }
}

/// Why the bytes of a connection are no frames of a dialect.
public struct FrameError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        case wrongPrefix
        case lengthIsNoNumber
        /// Bytes of header and message.
        case tooLong(Int, maximum: Int)
        case tooShort(Int, minimum: Int)
        /// A length of zero, where the dialect has no keep-alive.
        case empty
        case wrongTrailer
        case wrongCheck
        /// The connection ended within a frame, of which so many bytes came.
        case endsEarly(Int)
    }

    public let reason: Reason
    /// The first 16 bytes of the frame, with digits of card numbers masked: they show a wrong framing at once.
    public let start: String

    public var description: String { "\(words); the frame begins with \(start)" }

    private var words: String {
        switch reason {
        case .wrongPrefix: "the frame does not begin as the profile says"
        case .lengthIsNoNumber: "the length of the frame is not a number"
        case .tooLong(let count, let maximum): "the frame has \(count) bytes, and at most \(maximum) are allowed"
        case .tooShort(let count, let minimum): "the length of the frame is \(count), and at least \(minimum) is needed"
        case .empty: "the frame is empty"
        case .wrongTrailer: "the frame does not end as the profile says"
        case .wrongCheck: "the check byte of the frame is wrong"
        case .endsEarly(let count): "the connection ended within a frame, after \(count) bytes"
        }
    }
}

/// Bytes for people, with anything masked that may be digits of a card number.
enum MaskedBytes {
    /// The bytes that an error shows.
    private static let shown = 16
    /// Digits in a row that are masked: as characters or packed, and fewer at the edges, behind which there may be
    /// more.
    private static let (longest, longestAtEdge) = (9, 7)

    /// Returns the first 16 bytes in hexadecimal digits, for example `00 5B 30 38`. A masked character shows its code:
    /// `3*` in ASCII, `F*` in EBCDIC.
    static func start(of bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes.prefix(shown))
        guard !bytes.isEmpty else { return "nothing" }
        let isCharacter = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0xF0...0xF9).contains(byte) }
        let characters = rows(of: bytes, digitsPerByte: 1, isCharacter)
        // A row of ASCII digits is a row of packed digits too, and is judged as characters.
        let packed = rows(of: bytes, digitsPerByte: 2) { $0 >> 4 <= 9 && $0 & 0xF <= 9 }
            .filter { !bytes[$0].allSatisfy(isCharacter) }
        return bytes.indices.map { place in
            if packed.contains(where: { $0.contains(place) }) { return "**" }
            let isHidden = characters.contains { $0.contains(place) }
            return isHidden ? "\(bytes[place].hexadecimal.prefix(1))*" : bytes[place].hexadecimal
        }.joined(separator: " ")
    }

    /// Returns the rows of digits that are long enough to be masked.
    private static func rows(
        of bytes: [UInt8], digitsPerByte: Int, _ isDigits: (UInt8) -> Bool
    ) -> [Range<Int>] {
        var (rows, start): ([Range<Int>], Int) = ([], 0)
        while start < bytes.count {
            var end = start
            while end < bytes.count, isDigits(bytes[end]) { end += 1 }
            let isAtEdge = start == 0 || end == bytes.count
            if (end - start) * digitsPerByte >= (isAtEdge ? longestAtEdge : longest) { rows.append(start..<end) }
            start = max(end, start + 1)
        }
        return rows
    }
}
