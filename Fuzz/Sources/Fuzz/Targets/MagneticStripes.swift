import CardSecrets
import MagneticStripe

extension FuzzTarget {
    /// Data of magnetic stripe readers.
    static let stripes: [FuzzTarget] = [tracks, reportDescriptors]

    /// The first byte selects track and encoding.
    private static let tracks = FuzzTarget(
        "stripe-tracks", longestInput: 160,
        seeds: {
            let one = "%B4761739001010010^CARDHOLDER/VISA^35122010000012345678?"
            let two = ";4761739001010010=351220100000123?"
            let three = ";014761739001010010==1000000000000000000?"
            let texts = [(0, one), (1, two), (2, three), (1, "4761739001010010=351220100000123")].map { number, text in
                [UInt8(number)] + Array(text.utf8)
            }
            // Track 2 as characters with parity, and as bits.
            var data = two.utf8.map { $0 - 0x30 }
            data.append(data.reduce(0, ^))
            let characters = data.map { $0.nonzeroBitCount % 2 == 0 ? $0 | 0x10 : $0 }
            var bits: [UInt8] = []
            for character in characters {
                for bit in 0..<5 as Range<UInt8> { bits.append(character >> bit & 1) }
            }
            bits += [UInt8](repeating: 0, count: 8 - bits.count % 8)
            let packed = stride(from: 0, to: bits.count, by: 8).map { start in
                bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
            }
            return texts + [[4] + characters, [7] + packed]
        },
        run: { bytes in
            guard let choice = bytes.first else { return }
            let encoding: TrackEncoding = [.ascii, .characters, .bits][Int(choice / 3 % 3)]
            func delivery() -> TrackReading {
                .read(TrackDelivery(SensitiveBytes(bytes.dropFirst()), encoding))
            }
            let stripe =
                switch choice % 3 {
                case 0: MagneticStripe(one: delivery())
                case 1: MagneticStripe(two: delivery())
                default: MagneticStripe(three: delivery())
                }
            hold(stripe.faults.count <= 1, "one track has one fault")
            try check(stripe.trackTwo)
            let card = try SwipedCard(stripe)
            hold(card.pan.hasValidCheckDigit, "a card has a right check digit")
        })

    private static func check(_ trackTwo: borrowing AccountTrack?) throws {
        switch trackTwo {
        case nil: return
        case .some(let track):
            hold((8...19).contains(track.pan.digitCount), "a track that is read has an account")
            hold(track.content.count <= 37, "a track is no longer than it can be")
            // The data for the host has the same account.
            if case .some(let data) = track.equivalentData() {
                let pan = try data.withUnsafeBytes { try PrimaryAccountNumber(trackTwo: $0) }
                hold(pan.isEqual(to: track.pan), "both forms of track 2 name one account")
            }
        }
    }

    private static let reportDescriptors = FuzzTarget(
        "hid-descriptors", longestInput: 256,
        seeds: {
            [
                "058E 0901 A101 8501 1500 26FF00 7508 1911 2913 9503 8102 0921 954F 820201 0922 9528 820201 C0",
                "0600FF 0901 A101 1500 26FF00 7508 0920 0921 0922 0928 0929 092A 0938 9507 8102 0930 956E 820201 "
                    + "0931 956E 820201 0932 956E 820201 0920 9518 B20201 C0",
                "0501 0906 A101 0507 19E0 29E7 1500 2501 7501 9508 8102 9501 7508 8101 9506 7508 2565 0507 1900 2965 "
                    + "8100 C0",
            ].map(bytes)
        },
        run: { bytes in
            let descriptor = try HIDReportDescriptor(parsing: bytes)
            hold(descriptor.longestInputReport <= 0xFFFF, "a report fits in a transfer")
            for field in descriptor.fields {
                let end = field.bitOffset + field.elementSize * field.elementCount
                for element in [0, field.elementCount / 2, max(0, field.elementCount - 1)] {
                    guard let usage = field.usage(of: element), let bits = field.bits(of: usage) else { continue }
                    hold(bits.lowerBound >= field.bitOffset && bits.upperBound <= end, "a usage is within its field")
                }
            }
            for usages in [SwipeUsages.pointOfSale, .magTek] {
                for track in usages.tracks { _ = descriptor.input(track.data) }
            }
        })
}
