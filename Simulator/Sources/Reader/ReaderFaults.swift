/// The faults that a reader is armed with, counted down as commands and transfers pass.
struct ReaderFaults: Sendable {
    private var armed: [SimulatedReaderFault] = []

    mutating func arm(_ fault: SimulatedReaderFault) { armed.append(fault) }

    /// A command passes.
    ///
    /// - Returns: what happens to it, in the order of arming.
    mutating func commandPasses(isXfrBlock: Bool) -> [SimulatedReaderFault.Disturbance] {
        count { fault in
            switch fault {
            case .command(let number, let disturbance): (number, disturbance)
            case .xfrBlock(let number, let disturbance) where isXfrBlock: (number, disturbance)
            default: nil
            }
        } again: { fault, number in
            if case .command(_, let disturbance) = fault { return .command(number, disturbance) }
            if case .xfrBlock(_, let disturbance) = fault { return .xfrBlock(number, disturbance) }
            return fault
        }
    }

    /// A bulk transfer is over.
    ///
    /// - Returns: whether the reader is pulled out now.
    mutating func bulkTransferPasses() -> Bool {
        let fired = count { fault in
            if case .unplugged(let number) = fault { (number, .unplugged) } else { nil }
        } again: { _, number in
            .unplugged(afterBulkTransfers: number)
        }
        return !fired.isEmpty
    }

    private mutating func count(
        _ matching: (SimulatedReaderFault) -> (Int, SimulatedReaderFault.Disturbance)?,
        again: (SimulatedReaderFault, Int) -> SimulatedReaderFault
    ) -> [SimulatedReaderFault.Disturbance] {
        var fired: [SimulatedReaderFault.Disturbance] = []
        var remaining: [SimulatedReaderFault] = []
        for fault in armed {
            guard let (number, disturbance) = matching(fault) else {
                remaining.append(fault)
                continue
            }
            if number <= 1 { fired.append(disturbance) } else { remaining.append(again(fault, number - 1)) }
        }
        armed = remaining
        return fired
    }
}
