extension CCIDInterface {
    /// Whether all slots of the interface are contactless, as far as that is known before a card is there.
    public var isContactless: Bool { contactless.numbers.count == Int(descriptor.maximumSlotIndex) + 1 }

    /// Whether the interface has a contactless slot.
    public var hasContactlessSlot: Bool { !contactless.numbers.isEmpty }
}

/// The field of a contactless slot.
extension CCIDReader {
    /// Whether a slot takes cards without contacts, as far as that is known before a card is there.
    public nonisolated func isContactless(slot: UInt8 = 0) -> Bool { interface.contactless.numbers.contains(slot) }

    /// Whether the reader can tell that several cards are in its field.
    public nonisolated var tellsCollisions: Bool { interface.contactless.field?.askForCollision != nil }

    /// Switches the field of a contactless slot on or off. Switching off works in a canceled task, too.
    ///
    /// A card in the field loses its power. Where the reader has no command for its field, that is all: it goes on
    /// looking for cards by itself.
    ///
    /// - Throws: ``CCIDError``
    public func switchField(on isOn: Bool, slot: UInt8 = 0) async throws(CCIDError) {
        guard isOn else {
            let result = await Task { () -> Result<Void, CCIDError> in
                do throws(CCIDError) {
                    try await powerOff(slot: slot)
                    if let field = interface.contactless.field { _ = try await escape(field.switchOff, slot: slot) }
                    // The reader does not see a card without the field. That does not mean that it was taken away.
                    slots[Int(slot)].presence.noteReportedRemoval()
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }.value
            return try result.get()
        }
        if let field = interface.contactless.field { _ = try await escape(field.switchOn, slot: slot) }
    }

    /// Returns whether several cards are in the field of a slot; false where the reader can't tell.
    ///
    /// - Throws: ``CCIDError``
    public func seesSeveralCards(slot: UInt8 = 0) async throws(CCIDError) -> Bool {
        guard let command = interface.contactless.field?.askForCollision else { return false }
        return try await escape(command, slot: slot).last == 0x01
    }
}
