import { defineConfig } from 'vitest/config'

/** The tests of firestore.rules. They need a Firestore at FIRESTORE_EMULATOR_HOST (`npm run reglas`). */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    environment: 'node',
    fileParallelism: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
