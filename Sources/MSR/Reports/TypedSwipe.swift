internal import CardSecrets
internal import MagneticStripe

/// Gathers what a reader types, from the first start sentinel until Enter, or until no key came for a while. Some readers
/// press Enter behind each track: behind a line with a single one, the next track may follow.
///
/// Track 1 stands between `%` and `?`, track 2 between `;` and `?`, and track 3 likewise behind `+`, `#`, `!` or a second
/// `;`: readers differ. A track that could not be read is an `E` between its sentinels (MagTek 99875206). What stands
/// outside of tracks is a reader's own, or a person's, typing.
struct TypedSwipe: Sendable {
    /// The three tracks have 226 characters, and readers can be told to type some before and behind them.
    private static let longest = 512

    private var typed: [UInt8] = []

    /// Whether a swipe has begun and not ended.
    var isUnderWay: Bool { !typed.isEmpty }

    /// Takes a character.
    ///
    /// - Returns: whether the swipe is over: take it with ``finish()``.
    mutating func take(_ character: UInt8) -> Bool {
        guard isUnderWay || Self.track(begunBy: character, isTwoRead: false) != nil else { return false }
        // A key that hangs: it is no card, and must not fill the memory.
        guard typed.count < Self.longest else { return true }
        // At once, so that the array does not grow and leave what it held behind.
        if !isUnderWay { typed.reserveCapacity(Self.longest) }
        let isOver = character == KeyboardDecoder.enter && lineHasTracks
        typed.append(character)
        return isOver
    }

    /// Whether the line that is being typed has two tracks or more: this reader presses Enter behind all of them.
    private var lineHasTracks: Bool {
        let start = typed.lastIndex(of: KeyboardDecoder.enter).map { $0 + 1 } ?? 0
        return typed[start...].count { $0 == StripeTrack.two.characterSet.endSentinel } > 1
    }

    /// What has been typed so far, as tracks.
    mutating func finish() -> MagneticStripe {
        defer {
            typed.wipe()
            typed.removeAll(keepingCapacity: true)
        }
        var spans: [StripeTrack: Range<Int>] = [:]
        var place = 0
        while place < typed.count {
            guard let track = Self.track(begunBy: typed[place], isTwoRead: spans[.two] != nil) else {
                place += 1
                continue
            }
            // A track that broke off ends with its line.
            let sentinel = track.characterSet.endSentinel
            let end =
                typed[place...].firstIndex { $0 == sentinel || $0 == KeyboardDecoder.enter } ?? typed.count
            // Of two, the first one counts.
            if spans[track] == nil { spans[track] = place..<end }
            place = end + 1
        }
        return MagneticStripe(
            one: reading(.one, spans[.one]), two: reading(.two, spans[.two]), three: reading(.three, spans[.three]))
    }

    private func reading(_ track: StripeTrack, _ span: Range<Int>?) -> TrackReading {
        guard let span else { return .absent }
        guard span.upperBound < typed.count, typed[span.upperBound] != KeyboardDecoder.enter else {
            return .failed(.incomplete)
        }
        let content = typed[(span.lowerBound + 1)..<span.upperBound]
        if content.elementsEqual([UInt8(ascii: "E")]) { return .failed(.notDecoded) }
        guard !content.isEmpty else { return .absent }
        return .read(TrackDelivery(SensitiveBytes(content), .ascii))
    }

    private static func track(begunBy character: UInt8, isTwoRead: Bool) -> StripeTrack? {
        switch character {
        case UInt8(ascii: "%"): .one
        case UInt8(ascii: ";"): isTwoRead ? .three : .two
        case UInt8(ascii: "+"), UInt8(ascii: "#"), UInt8(ascii: "!"): .three
        default: nil
        }
    }
}
