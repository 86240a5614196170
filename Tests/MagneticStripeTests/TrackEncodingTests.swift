import CardSecrets
import MagneticStripe
import Testing

@Suite struct TrackEncodingTests {
    private func characters(_ bytes: [UInt8]) -> TrackDelivery { TrackDelivery(SensitiveBytes(bytes), .characters) }

    private func bits(_ bytes: [UInt8]) -> TrackDelivery { TrackDelivery(SensitiveBytes(bytes), .bits) }

    @Test
    func `a track is the same in ASCII, without sentinels, with its redundancy character, as characters and as bits`()
        throws
    {
        let inside = String(Stripe.two.dropFirst().dropLast())
        let redundancy = Stripe.two.utf8.reduce(0) { $0 ^ ($1 - 0x30) } + 0x30
        let asCharacters = Stripe.numeric(Stripe.two)
        let contents = [
            try AccountTrack(.two, Stripe.ascii(Stripe.two)).content.text,
            try AccountTrack(.two, Stripe.ascii(inside)).content.text,
            try AccountTrack(.two, TrackDelivery(SensitiveBytes(Array(Stripe.two.utf8) + [redundancy]))).content.text,
            try AccountTrack(.two, characters(asCharacters)).content.text,
            try AccountTrack(.two, characters(asCharacters + [0, 0, 0])).content.text,
            try AccountTrack(.two, bits(Stripe.bits(asCharacters, dataBits: 4))).content.text,
            try AccountTrack(.two, bits(Stripe.bits(asCharacters, dataBits: 4, lead: 3))).content.text,
            try AccountTrack(.two, bits(Stripe.bits(asCharacters, dataBits: 4, isReversed: true))).content.text,
        ]
        #expect(contents == Array(repeating: inside, count: contents.count))
    }

    @Test func `track 1 has seven bits a character`() throws {
        let asCharacters = Stripe.alphanumeric(Stripe.one)
        #expect(try AccountTrack(.one, characters(asCharacters)).serviceCode == ServiceCode(201))
        #expect(
            try AccountTrack(.one, bits(Stripe.bits(asCharacters, dataBits: 6, isReversed: true))).pan.lastFour
                == "0010")
    }

    @Test func `every wrong bit of a track is found`() {
        let good = Stripe.numeric(Stripe.two)
        for place in good.indices {
            for bit in 0...4 as ClosedRange<UInt8> {
                var bad = good
                bad[place] ^= 1 << bit
                #expect(fault(.two, characters(bad)) == .parity(position: place + 1))
            }
        }
    }

    @Test func `two wrong bits of a character are found by the redundancy character`() {
        let good = Stripe.numeric(Stripe.two)
        for place in 1..<good.count - 2 {
            var bad = good
            bad[place] ^= 0b00011
            // One of them may look like an end, after which nothing fits either.
            #expect(fault(.two, characters(bad)) == .redundancyCheck)
        }
    }

    @Test func `what is cut off or empty is no track`() {
        let good = Stripe.numeric(Stripe.two)
        #expect(fault(.two, characters(Array(good.dropLast()))) == .redundancyCheck)
        #expect(fault(.two, characters(Array(good.dropLast(2)))) == .noEndSentinel)
        #expect(fault(.two, characters(Array(good.dropFirst()))) == .noStartSentinel)
        #expect(fault(.two, characters([])) == .noStartSentinel)
        #expect(fault(.two, bits([])) == .noStartSentinel)
        #expect(fault(.two, bits([UInt8](repeating: 0, count: 100))) == .noStartSentinel)
        #expect(fault(.two, bits([UInt8](repeating: 0, count: 5000))) == .tooLong(5000))
    }

    @Test func `random bytes are refused in every encoding, and trap in none`() {
        var generator = SystemRandomNumberGenerator()
        var taken = 0
        for _ in 0..<4000 {
            let bytes = (0..<Int.random(in: 0...120, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            for track in StripeTrack.allCases {
                for encoding in [TrackEncoding.ascii, .characters, .bits] {
                    if fault(track, TrackDelivery(SensitiveBytes(bytes), encoding)) == nil { taken += 1 }
                }
            }
        }
        #expect(taken < 5)
    }
}
