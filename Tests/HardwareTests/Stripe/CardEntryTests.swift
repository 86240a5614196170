import Testing

@testable import Hardware

@Suite struct CardEntryTests {
    private let both: CardReaderInput = [.insert, .swipe]

    @Test func `at first every way is open that the reader has`() {
        #expect(CardEntry(both, MagneticStripePolicy()).inputs == both)
        #expect(CardEntry(.insert, MagneticStripePolicy()).inputs == .insert)
        #expect(CardEntry(.swipe, MagneticStripePolicy()).inputs == .swipe)
        #expect(CardEntry(both, .none).inputs == .insert)
    }

    @Test(arguments: [1, 3, 9])
    func `the stripe of a chip card counts when the chip has failed as often as the till says`(failures: Int) {
        var entry = CardEntry(both, MagneticStripePolicy(chipFailures: failures))
        for failure in 1...failures {
            #expect(!entry.isFallback)
            let goesOn = entry.chipFailed()
            #expect(goesOn)
            #expect(entry.isFallback == (failure == failures))
        }
        #expect(entry.inputs == .swipe)
    }

    @Test func `without fallback, or without a head for stripes, a chip that fails ends it`() {
        for (inputs, policy) in [
            (both, MagneticStripePolicy(allowsFallback: false)), (.insert, MagneticStripePolicy()), (both, .none),
        ] {
            var entry = CardEntry(inputs, policy)
            let goesOn = entry.chipFailed()
            #expect(!goesOn)
            #expect(!entry.isFallback)
        }
    }

    @Test func `a chip card that is swiped has to be inserted, and may be swiped when its chip has failed`() {
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

    @Test func `two swipes that cannot be read are put up with`() {
        var entry = CardEntry(both, MagneticStripePolicy())
        let goesOn = (0..<3).map { _ in entry.swipeFailed() }
        #expect(goesOn == [true, true, false])
    }
}
