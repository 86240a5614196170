extension CCIDReader {
    /// Exchanges a maker's own command with the reader (PC_to_RDR_Escape, CCID 1.1 §6.1.8). Whether a card is in
    /// the slot does not matter.
    ///
    /// - Parameters:
    ///   - command: the data of the command.
    ///   - slot: number of the slot, from 0.
    /// - Returns: the data of the answer.
    /// - Throws: ``CCIDError/failed(_:_:)`` when the reader does not know the command, ``CCIDError/noSuchSlot(_:)``,
    ///   ``CCIDError/cancelled`` and what keeps the reader from answering.
    public func escape(_ command: [UInt8], slot: UInt8 = 0) async throws(CCIDError) -> [UInt8] {
        let index = try index(slot)
        try await enter(index)
        defer { slots[index].gate.release() }
        let reply = try await exchange(.escape(command), slot: slot, wait: timing.command)
        if case .failed(let error) = reply.header.status.outcome { throw .failed(.escape, error) }
        return reply.payload()
    }
}
