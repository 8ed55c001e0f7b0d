import { useState } from 'react'
import type { Slot } from '../../art/slot-image'
import type { Live } from '../../admin/data/live'
import { rowsOf } from '../../admin/data/live'
import type { Column } from '../../admin/table/column'
import { List } from '../../admin/table/list'
import { BulkBar } from './bulk-bar'
import { Details, type FormRow } from './details'

type Props<T extends FormRow> = {
  label: string
  live: Live<T>
  columns: readonly Column<T>[]
  collection: string
  title: (row: T) => string
  empty: { text: string; slot: Slot }
  file: string
}

const statusOf = (row: FormRow) => row.status
const canSelect = (row: FormRow) => !row.fixed

/** A list of forms. One can be read in the drawer, and the status of one or several can be set. */
export function FormList<T extends FormRow>({ label, live, columns, collection, title, empty, file }: Props<T>) {
  const [open, setOpen] = useState<string>()
  return (
    <>
      <List
        label={label}
        live={live}
        columns={columns}
        empty={empty}
        file={file}
        statusOf={statusOf}
        canSelect={canSelect}
        onOpen={(row) => setOpen(row.id)}
        renderSelected={(selected, clear) => <BulkBar paths={selected.map((row) => `${collection}/${row.id}`)} onDone={clear} />}
      />
      <Details
        row={rowsOf(live).find((row) => row.id === open)}
        collection={collection}
        title={title}
        columns={columns}
        onClose={() => setOpen(undefined)}
      />
    </>
  )
}
