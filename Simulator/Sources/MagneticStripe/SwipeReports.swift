internal import CardSecrets

/// The reports by which a reader of a kind tells of a swipe.
struct SwipeReports {
    let kind: SimulatedMSRModel.Kind

    /// What the reader makes of a stripe: nil for a track with nothing on it, an empty text for one that it cannot
    /// decode.
    private func decode(_ stripe: SimulatedStripe) -> [[UInt8]?] {
        zip(stripe.tracks, [StripeCharacters.alphanumeric, .numeric, .numeric]).map { track, characters in
            guard let track else { return nil }
            var encoded = track.copy()
            defer { encoded.wipe() }
            return characters.decode(encoded) ?? []
        }
    }

    /// In the order in which they are sent.
    func reports(_ stripe: SimulatedStripe) -> [[UInt8]] {
        var tracks = decode(stripe)
        defer { for index in tracks.indices { tracks[index]?.wipe() } }
        switch kind {
        case .pointOfSale: return [[0x01] + lengths(tracks) + fields(tracks, sizes: [79, 40, 107])]
        case .fixedReport: return [statuses(tracks) + lengths(tracks) + [0] + fields(tracks, sizes: [110, 110, 110])]
        case .encrypted:
            let noise = tracks.map { track in
                track.map { $0.indices.map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 89) } }
            }
            return [
                statuses(tracks) + lengths(tracks) + [0] + fields(noise, sizes: [112, 112, 112])
                    + [UInt8](repeating: 0xA5, count: 12)
            ]
        case .keyboard: return typed(tracks)
        }
    }

    private func statuses(_ tracks: [[UInt8]?]) -> [UInt8] { tracks.map { $0?.isEmpty == true ? 1 : 0 } }

    private func lengths(_ tracks: [[UInt8]?]) -> [UInt8] { tracks.map { UInt8(clamping: $0?.count ?? 0) } }

    private func fields(_ tracks: [[UInt8]?], sizes: [Int]) -> [UInt8] {
        zip(tracks, sizes).flatMap { track, size in
            let data = (track ?? []).prefix(size)
            return data + [UInt8](repeating: 0, count: size - data.count)
        }
    }

    /// A key down and up again for each character, and Enter. Track 3 begins with another sign than track 2, and a track
    /// that cannot be decoded is an E.
    private func typed(_ tracks: [[UInt8]?]) -> [[UInt8]] {
        var text: [UInt8] = []
        defer { text.wipe() }
        for (track, start) in zip(tracks, "%;+".utf8) {
            guard let track else { continue }
            text += [start] + (track.isEmpty ? [UInt8(ascii: "E"), UInt8(ascii: "?")] : Array(track.dropFirst()))
        }
        text.append(0x0A)
        return text.flatMap { character in
            let (key, isShifted) = Self.key(character)
            return [[isShifted ? 0x02 : 0x00, 0, key, 0, 0, 0, 0, 0], [UInt8](repeating: 0, count: 8)]
        }
    }

    private static let unshifted = Array("1234567890\n\u{1B}\u{08}\t -=[]\\#;'`,./".utf8)
    private static let shifted = Array("!@#$%^&*()\n\u{1B}\u{08}\t _+{}|~:\"~<>?".utf8)

    /// The key of a keyboard of the United States, and whether it goes with shift.
    private static func key(_ character: UInt8) -> (UInt8, isShifted: Bool) {
        if (0x41...0x5A).contains(character) { return (character - 0x41 + 0x04, true) }
        if let place = unshifted.firstIndex(of: character), place != 20 { return (UInt8(0x1E + place), false) }
        return (shifted.firstIndex(of: character).map { UInt8(0x1E + $0) } ?? 0, true)
    }
}
