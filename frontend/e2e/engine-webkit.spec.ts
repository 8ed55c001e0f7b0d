import { drive } from './engines/drive'
import { webkit } from './engines/webkit'

drive(webkit)
