internal import ArgumentParser
internal import Receipts

extension PaperSize: ExpressibleByArgument {}

extension PrinterFamily: ExpressibleByArgument {}
