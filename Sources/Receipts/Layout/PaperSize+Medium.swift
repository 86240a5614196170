public import Hardware

extension PaperSize {
    /// What a receipt is drawn on for a medium of a printer: a roll by its width, a sheet by its length.
    public init(_ medium: PrintMedium) {
        // Half way between the rolls of 58 and 80 mm, and between letter and A4, in hundredths of a millimetre.
        if medium.isRoll {
            self = medium.width < 6900 ? .roll58 : .roll80
        } else {
            self = medium.length < 28_820 ? .letter : .a4
        }
    }
}
