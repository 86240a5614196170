extension [UInt8] {
    /// Overwrites the bytes with zeros. An array that shares its memory with another one leaves that other
    /// one as it is: let go of copies first.
    mutating func wipe() {
        for index in indices { self[index] = 0 }
    }
}
