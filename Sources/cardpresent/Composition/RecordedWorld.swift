internal import Determinism
internal import EMV
internal import Hardware
internal import Recorder
internal import Simulator
internal import SmartCard
internal import USB
internal import Yosemite

/// A world in which a recorder listens.
struct RecordedWorld: World {
    private let world: any World
    private let recorder: PaymentRecorder
    let cardholder: any CardholderInterface

    init(_ world: any World, recorder: PaymentRecorder) {
        (self.world, self.recorder) = (world, recorder)
        cardholder = RecordingCardholder(world.cardholder, recorder: recorder)
    }

    var bus: any USBBus { world.bus }
    var time: any TimeSource { world.time }
    var random: any RandomSource { world.random }
    var trace: TraceFile? { world.trace }
    var card: CardProfile? { world.card }
    var discoveryMethod: CardReaderDiscoveryMethod { world.discoveryMethod }
    var readerID: String? { world.readerID }
    var hasOwnedReaders: Bool { world.hasOwnedReaders }
    var takesCards: Bool { world.takesCards }

    func readerSources(_ settings: TillConfiguration) -> [any CardReaderSource] { world.readerSources(settings) }

    func terminal(_ configured: TerminalConfiguration) -> TerminalConfiguration { world.terminal(configured) }

    func choose(
        among readers: [CardReader], remembered: [RememberedCardReader]
    ) throws(CommandFailure) -> CardReader {
        let reader = try world.choose(among: readers, remembered: remembered)
        recorder.note(reader)
        return reader
    }

    func observe(_ event: CardReaderEvent) {
        recorder.note(event)
        world.observe(event)
    }

    var recordTrace: (@Sendable (TraceEntry) -> Void)? {
        let write = world.recordTrace
        return { [recorder] entry in
            recorder.note(entry)
            write?(entry)
        }
    }
}
