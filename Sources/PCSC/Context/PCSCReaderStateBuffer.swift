internal import CPCSC
internal import Glibc

/// Reader states as C has them, with the names that they point to.
struct PCSCReaderStateBuffer: ~Copyable {
    private let known: [PCSCReaderState]
    private let memory: UnsafeMutableBufferPointer<cpcsc_reader_state>

    init(_ known: [PCSCReaderState]) {
        self.known = known
        // One at least, so that there is an address to give.
        memory = .allocate(capacity: max(1, known.count))
        memory.initialize(repeating: cpcsc_reader_state())
        for (index, state) in known.enumerated() {
            memory[index].reader = UnsafePointer(strdup(state.reader))
            memory[index].current_state = UInt(state.events) << 16 | UInt(state.flags.rawValue)
        }
    }

    deinit {
        for state in memory { free(UnsafeMutablePointer(mutating: state.reader)) }
        memory.deallocate()
    }

    /// Gives the states to `body` for the length of the call.
    func withPointer(_ body: (UnsafeMutablePointer<cpcsc_reader_state>) -> Int) -> Int {
        memory.baseAddress.map(body) ?? 0
    }

    /// The states that a call has written.
    var states: [PCSCReaderState] {
        zip(known, memory).map { known, state in
            let flags = PCSCReaderState.Flags(rawValue: UInt16(truncatingIfNeeded: state.event_state))
            let answer = withUnsafeBytes(of: state.atr) { Array($0.prefix(Int(min(state.atr_length, UInt($0.count))))) }
            return PCSCReaderState(
                reader: known.reader, flags: flags.subtracting(.changed),
                events: UInt16(truncatingIfNeeded: state.event_state >> 16),
                answerToReset: flags.contains(.present) ? answer : [])
        }
    }
}
