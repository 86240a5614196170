import CardSecrets

/// Decodes a reader's reports of any format into swipes.
struct SwipeDecoder: Sendable {
    private enum Layout {
        case tracks(TrackReportLayout)
        case keyboard
    }

    private let layout: Layout
    // Stored here and not in the case: taking them out of it would copy the typed characters.
    private var keyboard = KeyboardDecoder(.boot)
    private var typed = TypedSwipe()

    /// - Throws: ``MagneticStripeReaderError/notSupported(_:)``
    init(_ interface: MagneticStripeInterface, _ descriptor: HIDReportDescriptor) throws(MagneticStripeReaderError) {
        switch interface.format {
        case .tracks(let usages): layout = .tracks(try TrackReportLayout(descriptor, usages))
        case .keyboard:
            layout = .keyboard
            if !interface.hid.isBootKeyboard { keyboard = KeyboardDecoder(try KeyboardLayout(descriptor)) }
        }
    }

    /// Whether a swipe has begun and not ended.
    var isUnderWay: Bool { typed.isUnderWay }

    /// Takes a report.
    ///
    /// - Returns: the swipe that ended with it.
    mutating func take(_ report: [UInt8]) -> Swipe? {
        switch layout {
        case .tracks(let layout):
            guard let stripe = layout.swipe(report) else { return nil }
            return Swipe(stripe)
        case .keyboard:
            // Characters after the end in the same report belong to no swipe.
            for character in keyboard.take(report) where typed.take(character) { return Swipe(typed.finish()) }
            return nil
        }
    }

    /// Ends the current swipe, after a time without reports.
    ///
    /// - Returns: the swipe, possibly incomplete; nil when none had begun.
    mutating func finish() -> Swipe? { typed.isUnderWay ? Swipe(typed.finish()) : nil }
}

/// Collects what a reader types, from the first start sentinel until Enter, or until a pause. Some readers press Enter
/// after each track: after a line with a single track, the next one may follow.
///
/// Track 1 is between `%` and `?`, track 2 between `;` and `?`, and track 3 after `+`, `#`, `!`, or a second `;`,
/// depending on the reader. A track that could not be read is an `E` between its sentinels (MagTek 99875206).
/// Characters outside tracks come from the reader's settings or from a person.
struct TypedSwipe: Sendable {
    /// The three tracks have 226 characters, and readers can be configured to type some before and after them.
    private static let longest = 512

    private var typed: [UInt8] = []

    /// Whether a swipe has begun and not ended.
    var isUnderWay: Bool { !typed.isEmpty }

    /// Takes a character.
    ///
    /// - Returns: whether the swipe is over: take it with ``finish()``.
    mutating func take(_ character: UInt8) -> Bool {
        guard isUnderWay || Self.track(begunBy: character, isTwoRead: false) != nil else { return false }
        // A key that hangs must not fill the memory.
        guard typed.count < Self.longest else { return true }
        // Reserve all at once, so that the array does not grow and leave copies in freed memory.
        if !isUnderWay { typed.reserveCapacity(Self.longest) }
        let isOver = character == KeyboardDecoder.enter && lineHasTracks
        typed.append(character)
        return isOver
    }

    /// Whether the current line has two or more tracks: this reader presses Enter only after all of them.
    private var lineHasTracks: Bool {
        let start = typed.lastIndex(of: KeyboardDecoder.enter).map { $0 + 1 } ?? 0
        return typed[start...].count { $0 == MagneticTrack.two.characterSet.endSentinel } > 1
    }

    /// Ends the swipe and returns its tracks.
    mutating func finish() -> MagneticStripe {
        defer {
            typed.wipe()
            typed.removeAll(keepingCapacity: true)
        }
        var spans: [MagneticTrack: Range<Int>] = [:]
        var place = 0
        while place < typed.count {
            guard let track = Self.track(begunBy: typed[place], isTwoRead: spans[.two] != nil) else {
                place += 1
                continue
            }
            // An incomplete track ends with its line.
            let sentinel = track.characterSet.endSentinel
            let end =
                typed[place...].firstIndex { $0 == sentinel || $0 == KeyboardDecoder.enter } ?? typed.count
            // The first of two counts.
            if spans[track] == nil { spans[track] = place..<end }
            place = end + 1
        }
        return MagneticStripe(
            one: reading(.one, spans[.one]), two: reading(.two, spans[.two]), three: reading(.three, spans[.three]))
    }

    private func reading(_ track: MagneticTrack, _ span: Range<Int>?) -> TrackReading {
        guard let span else { return .absent }
        guard span.upperBound < typed.count, typed[span.upperBound] != KeyboardDecoder.enter else {
            return .failed(.incomplete)
        }
        let content = typed[(span.lowerBound + 1)..<span.upperBound]
        if content.elementsEqual([UInt8(ascii: "E")]) { return .failed(.notDecoded) }
        guard !content.isEmpty else { return .absent }
        return .read(TrackDelivery(SensitiveBytes(content), .ascii))
    }

    private static func track(begunBy character: UInt8, isTwoRead: Bool) -> MagneticTrack? {
        switch character {
        case UInt8(ascii: "%"): .one
        case UInt8(ascii: ";"): isTwoRead ? .three : .two
        case UInt8(ascii: "+"), UInt8(ascii: "#"), UInt8(ascii: "!"): .three
        default: nil
        }
    }
}
