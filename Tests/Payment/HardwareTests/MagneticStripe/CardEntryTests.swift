import Testing

@testable import Hardware

@Suite struct CardEntryTests {
    private let both: CardReaderInput = [.insert, .swipe]

    @Test func `initially every entry mode of the reader is allowed`() {
        #expect(CardEntry(both, MagneticStripePolicy()).inputs == both)
        #expect(CardEntry(.insert, MagneticStripePolicy()).inputs == .insert)
        #expect(CardEntry(.swipe, MagneticStripePolicy()).inputs == .swipe)
        #expect(CardEntry(both, .none).inputs == .insert)
    }

    @Test(arguments: [1, 3, 9])
    func `a chip card can be swiped after the configured number of chip failures`(failures: Int) {
        var entry = CardEntry(both, MagneticStripePolicy(chipFailures: failures))
        for failure in 1...failures {
            #expect(!entry.isFallback)
            let goesOn = entry.chipFailed()
            #expect(goesOn)
            #expect(entry.isFallback == (failure == failures))
        }
        #expect(entry.inputs == .swipe)
    }

    @Test func `without fallback or a stripe reader a failed chip ends the payment`() {
        for (inputs, policy) in [
            (both, MagneticStripePolicy(allowsFallback: false)), (.insert, MagneticStripePolicy()), (both, .none),
        ] {
            var entry = CardEntry(inputs, policy)
            let goesOn = entry.chipFailed()
            #expect(!goesOn)
            #expect(!entry.isFallback)
        }
    }

    @Test func `a swiped chip card must be inserted, and may be swiped after its chip has failed`() {
        var entry = CardEntry(both, MagneticStripePolicy(chipFailures: 2))
        var goesOn = [entry.chipCardSwiped()]
        #expect(entry.inputs == .insert)
        goesOn.append(entry.chipFailed())
        #expect(entry.inputs == .insert)
        goesOn.append(entry.chipFailed())
        #expect(entry.inputs == .swipe)
        #expect(goesOn == [true, true, true])
        var alone = CardEntry(.swipe, MagneticStripePolicy())
        let stays = alone.chipCardSwiped()
        #expect(!stays)
    }

    @Test func `two unreadable swipes are tolerated`() {
        var entry = CardEntry(both, MagneticStripePolicy())
        let goesOn = (0..<3).map { _ in entry.swipeFailed() }
        #expect(goesOn == [true, true, false])
    }
}
